ARG DEBIAN
FROM ${DEBIAN}
STOPSIGNAL SIGUSR1
USER haproxy
CMD ["haproxy", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
