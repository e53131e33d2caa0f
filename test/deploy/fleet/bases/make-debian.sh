#!/usr/bin/env bash
# Makes an image of Debian with everything that the base images need, where no registry has the published ones:
#   make-debian.sh IMAGE NODE      NODE is the program that goes into it, with the npm of this machine and its settings
set -euo pipefail
image=$1 node=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
inside() { DEBIAN_FRONTEND=noninteractive chroot "$folder" "$@"; }

debootstrap --variant=minbase --include=ca-certificates trixie "$folder" >/dev/null
# Nothing may start in the folder, and Debian makes no database of its own.
printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
chmod +x "$folder/usr/sbin/policy-rc.d"
mkdir -p "$folder/etc/postgresql-common"
echo 'create_main_cluster = false' >"$folder/etc/postgresql-common/createcluster.conf"
inside apt-get update -q >/dev/null
inside apt-get install -y -q --no-install-recommends haproxy libatomic1 pgbouncer postgresql redis-server >/dev/null
inside apt-get clean

install -D "$node" "$folder/usr/local/bin/node"
# The folder of the program, and not `npm root --global`: that is a folder of the Node that runs npm, which can have none.
npm_program=$(readlink -f "$(command -v npm)")
cp -r "${npm_program%/bin/npm-cli.js}" "$folder/usr/local/lib/npm"
ln -s ../lib/npm/bin/npm-cli.js "$folder/usr/local/bin/npm"
ln -s ../lib/npm/bin/npx-cli.js "$folder/usr/local/bin/npx"
mkdir -p "$folder/usr/local/etc"
echo "registry=$(npm config get registry)" >"$folder/usr/local/etc/npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$folder/usr/local/etc/npm-ca.pem"
  echo 'cafile=/usr/local/etc/npm-ca.pem' >>"$folder/usr/local/etc/npmrc"
fi
inside groupadd --gid 1000 node
inside useradd --uid 1000 --gid 1000 --create-home node

tar -C "$folder" -c . | docker import - "$image" >/dev/null
