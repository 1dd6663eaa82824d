#!/bin/sh
# hayrake as a service, used as the README says: post a job, read its pages with curl while it runs. Speaks as order.ts says.
#
#   hayrake-api.sh START_URL PORT WARM_UP_URL COMMAND...
#
# COMMAND is the program; a WARM_UP_URL that is not empty is crawled twice before the program is ready.
set -eu
start=$1 api=http://127.0.0.1:$2 warm_up=$3
shift 3
export HAYRAKE_PORT="${api##*:}" HAYRAKE_TOKEN=0123456789abcdef0123456789abcdef0123456789abcdef HAYRAKE_DATA=data

"$@" serve >/dev/null &
service=$!
trap 'kill "$service" 2>/dev/null || true' EXIT

crawl() {
  created=$(curl --silent --fail --header "Authorization: Bearer $HAYRAKE_TOKEN" --header 'Content-Type: application/json' \
    --data "{\"urls\":[\"$1\"],\"output_format\":\"markdown\",\"page_limit\":100000}" "$api/crawler/jobs")
  job=$(printf %s "$created" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  curl --silent --fail --no-buffer --compressed --header "Authorization: Bearer $HAYRAKE_TOKEN" \
    --header 'Accept: application/x-ndjson' --output "$2" "$api/crawler/jobs/$job/data"
  # The stream is whole when it says so.
  tail -n 1 "$2" | grep -q '"end":true'
}

until curl --silent --fail --output /dev/null "$api/readyz"; do
  kill -0 "$service"
  sleep 0.1
done
if [ -n "$warm_up" ]; then
  crawl "$warm_up" warm-up.jsonl
  crawl "$warm_up" warm-up.jsonl
fi
echo ready
read -r go
crawl "$start" pages.jsonl
echo done
read -r end || true
trap - EXIT
kill -TERM "$service"
wait "$service"
