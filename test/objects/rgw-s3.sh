#!/bin/sh
# A second S3 server for tests: Ceph's RADOS gateway on one monitor and one in-memory OSD, loopback only.
# Needs (Debian 12): apt-get install -y --no-install-recommends radosgw ceph-mon ceph-osd
#
#   rgw-s3.sh     runs in the foreground until SIGTERM or SIGINT; all data is lost then
#
# Prints the same four lines as swift-s3.sh once the server answers. S3_PORT fixes the port (default: a free one).
set -eu
state=$(mktemp -d "${TMPDIR:-/var/tmp}/rgw-s3.XXXXXX")

pids=
stop() {
  trap - EXIT INT TERM
  [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
  wait
  rm -rf "$state"
  exit "$1"
}
trap 'stop 1' EXIT
trap 'stop 0' INT TERM

set -- $(/usr/bin/python3 -c 'import os, socket
s = [socket.socket() for _ in range(2)]
[x.bind(("127.0.0.1", int(os.environ.get("S3_PORT") or 0) if i == 0 else 0)) for i, x in enumerate(s)]
print(*[x.getsockname()[1] for x in s])')
s3_port=$1 mon_port=$2 fsid=$(cat /proc/sys/kernel/random/uuid) osd=$(cat /proc/sys/kernel/random/uuid)
mkdir "$state/mon" "$state/osd" "$state/rgw"
export CEPH_CONF="$state/ceph.conf"

# No cephx (hence crc mode, not secure), one copy, objects in memory. paxos_*: a pool is made in 0.1 s, not in 2 s.
# tcp_nodelay: else each GET waits 40 ms for a delayed ACK.
cat >"$CEPH_CONF" <<CONF
[global]
fsid = $fsid
mon_initial_members = a
mon_host = v2:127.0.0.1:$mon_port
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
run_dir = $state
admin_socket =
pid_file =
log_file = $state/\$name.log
log_to_stderr = false
err_to_stderr = true
mon_cluster_log_to_file = false
mon_cluster_log_to_stderr = false
mon_data = $state/mon
mon_data_avail_crit = 1
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_data = $state/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 2
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
rgw_data = $state/rgw
keyring = $state/keyring
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
rgw_frontends = beast endpoint=127.0.0.1:$s3_port tcp_nodelay=1
ms_mon_client_mode = crc
CONF
ceph-authtool --create-keyring "$state/keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool "$state/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' >/dev/null
monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$mon_port]" "$state/monmap" >/dev/null
ceph-mon --mkfs -i a --monmap "$state/monmap" --keyring "$state/keyring" >&2
ceph-mon -i a -f >&2 & pids=$!
/usr/bin/ceph osd new "$osd" >&2
ceph-osd -i 0 --mkfs --osd-uuid "$osd" >&2
ceph-osd -i 0 -f >&2 & pids="$pids $!"
radosgw -n client.admin -f >&2 & pids="$pids $!"
radosgw-admin user create --uid test --display-name test --access-key test --secret-key testing >/dev/null
for i in $(seq 600); do
  /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $s3_port), 1)" 2>/dev/null && break
  sleep 0.1
done
[ "$i" -lt 600 ] || { echo "rgw-s3: port $s3_port did not open" >&2; exit 1; }
echo "S3_ENDPOINT=http://127.0.0.1:$s3_port"
echo "S3_ACCESS_KEY_ID=test"
echo "S3_SECRET_ACCESS_KEY=testing"
echo "S3_READY=1"
# The servers end with the process S3_PARENT, also when that is killed.
[ -n "${S3_PARENT:-}" ] || wait
while kill -0 "$S3_PARENT" 2>/dev/null; do
  sleep 1 & nap=$!
  wait $nap
done
