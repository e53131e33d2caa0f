ARG DEBIAN
FROM ${DEBIAN}
RUN ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ 2>/dev/null || true \
    && install -d -o postgres -g postgres -m 2775 /var/run/postgresql
COPY postgres.sh /usr/local/bin/
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/usr/local/bin/postgres.sh"]
CMD ["postgres"]
