#!/bin/bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs one suite that others wrote against `storage-auth serve`; README.md says what it needs.
# run.sh s3|oss2-v1|oss2-v4|oss-v2|cos|opendal-s3|opendal-oss|opendal-cos
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=${SUITES:?the folder with the suites in src and a virtual environment in venv}
program=$(realpath "${STORAGE_AUTH:-$here/../../.build/debug/storage-auth}")
results=$work/results
read -r oss_port cos_port s3_port sts_port <<< "${PORTS:-9101 9102 9103 9104}"
export OSS_PORT=$oss_port COS_PORT=$cos_port STS_PORT=$sts_port
# The second account of s3-tests owns buckets of its own, and its first one has none at the start.
alt=suitesAlt0 bucket="--bucket opendal-1250000000"
[ "${1:-}" = s3 ] && alt=225000000000/$alt bucket=
mkdir -p "$results"
"$program" serve --oss-port "$oss_port" --cos-port "$cos_port" --s3-port "$s3_port" --services-port "$sts_port" \
  --s3-region us-east-1 --region cn-hangzhou --domain localhost $bucket --account suitesMain:suitesMainSecret0123456789 \
  --account $alt:suitesAltSecret0123456789 --account suitesTenant:suitesTenantSecret0123456789 \
  --account AKIDsuites:suitesCosSecret0123456789 --account 1300000000/suitesPayer:suitesPayerSecret0123456789 \
  --callbacks -q > "$results/server.log" 2>&1 &
server=$!
trap 'kill $server; wait $server' EXIT
for _ in $(seq 50); do
  (exec 3<> /dev/tcp/127.0.0.1/$s3_port) 2> /dev/null && break
  kill -0 $server || exit 1
  sleep 0.2
done

export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here
test_suite() {
  local name=$1
  shift
  timeout 2400 "$work/venv/bin/python" -m pytest -q -p no:cacheprovider --timeout 120 --tb=line -rA --show-capture=no \
    --junitxml="$results/$name.xml" "$@" > "$results/$name.log" 2>&1
  tail -n 1 "$results/$name.log"
}
oss() {
  export OSS_TEST_ACCESS_KEY_ID=suitesMain OSS_TEST_ACCESS_KEY_SECRET=suitesMainSecret0123456789
  export OSS_TEST_PAYER_ACCESS_KEY_ID=suitesPayer OSS_TEST_PAYER_ACCESS_KEY_SECRET=suitesPayerSecret0123456789
  export OSS_TEST_STS_ID=suitesMain OSS_TEST_STS_KEY=suitesMainSecret0123456789
  export OSS_TEST_RAM_ROLE_ARN=acs:ram::1250000000:role/localcloud OSS_TEST_STS_ARN=acs:ram::1250000000:role/localcloud
  export OSS_TEST_USER_ID=1250000000 OSS_TEST_UID=1250000000 OSS_TEST_RAM_UID=1250000000 OSS_TEST_PAYER_UID=1300000000
  export OSS_TEST_REGION=cn-hangzhou OSS_TEST_CNAME=http://localhost:$oss_port
  export OSS_TEST_VECTORS_ENDPOINT=http://localhost:$oss_port
  # The suites expect dates of the vendor's time zone.
  export OSS_TEST_ENDPOINT=$1 TZ=CST-8
}

case ${1:-} in
  s3)
    export S3TEST_CONF=$here/s3tests.conf
    cd "$work/src/s3-tests" || exit 1
    test_suite s3 -p service_marks s3tests/functional/test_s3.py s3tests/functional/test_headers.py
    ;;
  oss2-v1 | oss2-v4)
    oss http://oss-cn-hangzhou.aliyuncs.com
    export OSS_TEST_AUTH_VERSION=${1#oss2-}
    cd "$work/src/aliyun-oss-python-sdk" || exit 1
    test_suite "$1" -p loopback_names tests
    ;;
  oss-v2)
    oss "http://localhost:$oss_port"
    cd "$work/src/alibabacloud-oss-python-sdk-v2" || exit 1
    test_suite oss-v2 -p loopback_names tests/integration
    ;;
  cos)
    export COS_SECRET_ID=AKIDsuites COS_SECRET_KEY=suitesCosSecret0123456789 COS_REGION=ap-beijing
    export COS_APPID=1250000000 TRAVIS_FLAG=false ERR_HOST=127.0.0.1 TEST_CI=false USE_CREDENTIAL_INST=false
    export COS_VECTORS_BUCKET=v-1250000000 COS_VECTORS_BUCKET_FOR_CREATE_DELETE=w-1250000000
    export COS_VECTORS_APPID=1250000000 COS_VECTORS_SECRET_ID=AKIDsuites COS_VECTORS_REGION=ap-guangzhou
    export COS_VECTORS_SECRET_KEY=suitesCosSecret0123456789 COS_VECTORS_USE_IP=false
    mkdir -p "$results/files"
    cd "$results/files" || exit 1
    test_suite cos -p loopback_names "$work/src/cos-python-sdk-v5/ut/test.py"
    ;;
  opendal-s3 | opendal-oss | opendal-cos)
    export OPENDAL_TEST=${1#opendal-}
    export OPENDAL_S3_BUCKET=opendal-1250000000 OPENDAL_S3_ENDPOINT=http://127.0.0.1:$s3_port OPENDAL_S3_REGION=us-east-1
    export OPENDAL_S3_ACCESS_KEY_ID=suitesMain OPENDAL_S3_SECRET_ACCESS_KEY=suitesMainSecret0123456789
    export OPENDAL_OSS_BUCKET=opendal-1250000000 OPENDAL_OSS_ENDPOINT=http://oss-cn-hangzhou.aliyuncs.com
    export OPENDAL_OSS_ACCESS_KEY_ID=suitesMain OPENDAL_OSS_ACCESS_KEY_SECRET=suitesMainSecret0123456789
    export OPENDAL_COS_BUCKET=opendal-1250000000 OPENDAL_COS_ENDPOINT=http://cos.ap-guangzhou.myqcloud.com
    export OPENDAL_COS_SECRET_ID=suitesMain OPENDAL_COS_SECRET_KEY=suitesMainSecret0123456789
    # The server as the proxy: the requests for the vendor's hosts reach it, and no others leave the machine.
    case $1 in opendal-oss) export http_proxy=http://127.0.0.1:$oss_port ;; opendal-cos) export http_proxy=http://127.0.0.1:$cos_port ;; esac
    cd "$work/src/opendal/bindings/python" || exit 1
    test_suite "$1" tests
    exit
    ;;
  *)
    sed -n 's/^# //p' "$0" | tail -n 2
    exit 64
    ;;
esac
python3 "$here/summarize.py" "${1%-v[14]}" "$results/$1.xml"
