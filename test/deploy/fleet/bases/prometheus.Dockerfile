ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update -q && apt-get install -y -q --no-install-recommends prometheus \
    && install -d -o nobody -g nogroup /prometheus
USER nobody
ENTRYPOINT ["prometheus"]
