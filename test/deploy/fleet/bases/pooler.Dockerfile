# PgBouncer publishes no image of its own: Debian's, on the image of the other bases or on a published one of Debian.
ARG DEBIAN
FROM ${DEBIAN}
RUN command -v pgbouncer || (apt-get update && apt-get install -y --no-install-recommends pgbouncer)
COPY pooler.sh /usr/local/bin/
USER postgres
ENTRYPOINT ["sh", "/usr/local/bin/pooler.sh"]
