#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TLS + HTTP/2 in front of local servers, with a throw-away CA.
#
#   start-tls-proxy.sh DIR PORT=URL [PORT=URL ...]
#   e.g. start-tls-proxy.sh /tmp/tls 8443=http://127.0.0.1:8123 8445=http://127.0.0.1:8200
#
# -> https://localhost:8443 ...   CA for the client: DIR/ca.pem    stop: kill $(cat DIR/nginx.pid)
# Certificate names: localhost, 127.0.0.1, ::1, pds.test, alice.test ... judy.test, $NAMES (by /etc/hosts or curl --resolve)
#
# Environment (to provoke edge cases in clients):
#   STREAMS=128      SETTINGS_MAX_CONCURRENT_STREAMS
#   REQUESTS=1000    requests per connection before a graceful GOAWAY
#   RATE=            e.g. 20r/s: answer 429 with Retry-After and RateLimit-* above that
#   HTTP2=on         off: ALPN http/1.1 only
#   RESETS=0%        share of requests without an answer: RST_STREAM, or a closed connection over HTTP/1.1
#   CERTIFICATE=good expired, other-name or self-signed
#   PROTOCOLS=       e.g. TLSv1: the TLS versions to offer, in nginx's notation
#   ZEROS=           e.g. 64M: serve a file of that size as /zeros
#   HANDLES=         the output of arroba_local.py: serve https://alice.test:PORT/.well-known/atproto-did
set -euo pipefail
dir=${1:?usage: start-tls-proxy.sh DIR PORT=URL ...}; shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"; dir=$(cd "$dir" && pwd)
nginx=$("$here/nginx-path")
unset NGINX # nginx would take it for sockets that it inherits, and never detach
# explicit names: OpenSSL and others refuse a wildcard directly under a top-level domain (*.test)
san="DNS:localhost,IP:127.0.0.1,IP:::1,DNS:*.pds.test"
for name in pds pds2 appview plc alice bob carol dave erin frank grace heidi ivan judy ${NAMES:-}; do san+=,DNS:$name.test; done
if [[ ! -s $dir/ca.pem ]]; then
  (
    cd "$dir"
    openssl ecparam -name prime256v1 -genkey -noout -out ca.key
    openssl req -x509 -new -key ca.key -sha256 -days 30 -subj '/CN=atproto local test CA' -out ca.pem \
      -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign'
    openssl ecparam -name prime256v1 -genkey -noout -out server.key
    openssl req -new -key server.key -subj '/CN=localhost' -out server.csr
    days=30; signer=(-CA ca.pem -CAkey ca.key -CAcreateserial)
    case ${CERTIFICATE:-good} in
      good) ;;
      expired) days=-1 ;;
      other-name) san=DNS:elsewhere.test ;;
      self-signed) signer=(-signkey server.key) ;;
      *) echo "start-tls-proxy.sh: CERTIFICATE=$CERTIFICATE is none of good, expired, other-name, self-signed" >&3; exit 1 ;;
    esac
    openssl x509 -req -in server.csr "${signer[@]}" -days "$days" -sha256 -out server.pem -extfile <(
      echo 'basicConstraints=CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
subjectAltName='"$san")
  ) 3>&2 2>/dev/null
fi
user=; [[ $EUID != 0 ]] || user='user root root;' # DIR may be closed to others, and the worker keeps large bodies there
protocols=${PROTOCOLS:-TLSv1.2 TLSv1.3} ciphers=
[[ $protocols = *TLSv1.[23]* ]] || ciphers='ssl_ciphers DEFAULT@SECLEVEL=0;' # else OpenSSL refuses to speak it
[[ -z ${ZEROS:-} ]] || truncate -s "$ZEROS" "$dir/zeros"
h2=http2; [[ ${HTTP2:-on} = on ]] || h2=
did_map=
if [[ -n ${HANDLES:-} ]]; then
  did_map=$(python3 -c 'import json,sys
for a in json.load(open(sys.argv[1]))["accounts"]: print("    %s %s;" % (a["handle"], a["did"]))' "$HANDLES")
fi
{
  cat <<CONF
daemon on; pid $dir/nginx.pid; error_log $dir/error.log warn; worker_processes 1;
$user
events { worker_connections 1024; }
http {
  client_max_body_size 64m;
  client_body_temp_path $dir/tmp1; proxy_temp_path $dir/tmp2; fastcgi_temp_path $dir/tmp3; uwsgi_temp_path $dir/tmp4; scgi_temp_path $dir/tmp5;
  log_format h2 '\$connection:\$connection_requests \$server_protocol \$request_method \$host \$request_uri \$status \$request_time "\$http_user_agent"';
  access_log $dir/access.log h2;
  ssl_certificate $dir/server.pem; ssl_certificate_key $dir/server.key; ssl_protocols $protocols; $ciphers
  http2_max_concurrent_streams ${STREAMS:-128}; keepalive_requests ${REQUESTS:-1000}; keepalive_timeout 75s;
  map \$http_upgrade \$connection_upgrade { default upgrade; '' ''; }
  map \$host \$account_did { default ''; 
$did_map
  }
  ${RESETS:+split_clients \$request_id \$is_reset \{ $RESETS 1; * 0; \}}
  ${RATE:+limit_req_zone \$server_port zone=all:1m rate=$RATE; limit_req_status 429;}
CONF
  for spec in "$@"; do
    port=${spec%%=*} url=${spec#*=}
    cat <<CONF
  upstream u$port { server ${url#http://}; keepalive 32; keepalive_timeout 10s; }
  server {
    listen 127.0.0.1:$port ssl $h2; $([[ -s /proc/net/if_inet6 ]] && echo "listen [::1]:$port ssl $h2;")
    ${RATE:+limit_req zone=all burst=5 nodelay;
    error_page 429 = @limited;
    location @limited \{ default_type application/json; add_header Retry-After 1 always; add_header RateLimit-Limit ${RATE%%r*} always; add_header RateLimit-Remaining 0 always; add_header RateLimit-Reset 1 always; add_header RateLimit-Policy \"${RATE%%r*};w=1\" always; return 429 '\{\"error\":\"RateLimitExceeded\",\"message\":\"Rate Limit Exceeded\"\}'; \}}
    ${RESETS:+if (\$is_reset) \{ return 444; \}}
    ${ZEROS:+location = /zeros \{ alias $dir/zeros; \}}
    location = /.well-known/atproto-did { default_type text/plain; if (\$account_did = '') { return 404; } return 200 \$account_did; }
    location / {
      proxy_pass http://u$port; proxy_http_version 1.1; proxy_set_header Host \$http_host;
      proxy_set_header Upgrade \$http_upgrade; proxy_set_header Connection \$connection_upgrade;
      proxy_set_header X-Forwarded-For \$remote_addr; proxy_set_header X-Forwarded-Proto https;
      proxy_buffering off; proxy_read_timeout 3600s;
    }
  }
CONF
  done
  echo '}'
} | sed 's/\\\([{}"]\)/\1/g' >"$dir/nginx.conf"
rm -f "$dir/access.log" # what an earlier network left in DIR
"$nginx" -q -t -c "$dir/nginx.conf" -e "$dir/error.log"
( # whoever waits for the end of this script by a descriptor must not wait for that of the server
  for fd in /proc/self/fd/*; do ((${fd##*/} < 3)) || eval "exec ${fd##*/}>&-"; done
  exec "$nginx" -c "$dir/nginx.conf" -e "$dir/error.log"
)
for _ in {1..1200}; do [[ -s $dir/nginx.pid ]] && break; sleep 0.05; done # written after the daemon has detached
printf '{"ca": "%s/ca.pem", "urls": [' "$dir"; sep=
for spec in "$@"; do printf '%s"https://localhost:%s"' "$sep" "${spec%%=*}"; sep=', '; done
printf '], "nginx": "%s"}\n' "$("$nginx" -v 2>&1 | sed 's/.*: //')"
