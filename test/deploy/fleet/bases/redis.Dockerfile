ARG DEBIAN
FROM ${DEBIAN}
RUN install -d -o redis -g redis /data
WORKDIR /data
CMD ["redis-server"]
