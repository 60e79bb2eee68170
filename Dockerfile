# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# The command storage-auth in an image with what it needs and without a package of the toolchain. The image contains no
# secret and no configuration. By itself it runs OSS, COS and S3 for tests, whose accounts are in STORAGE_AUTH_ACCOUNT;
# Documentation/Operating.md shows how to run a token server with it.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libssl-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Leaves the tests, the examples and the measurements out of the manifest, so that their files are not needed.
ENV STORAGE_AUTH_ONLY=storage-auth
COPY Package.swift ./
COPY Sources ./Sources
RUN swift build --traits CommandLine --configuration release --product storage-auth --static-swift-stdlib \
    && install -D --strip .build/release/storage-auth /output/storage-auth

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libssl3 libstdc++6 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /output/storage-auth /usr/local/bin/storage-auth
# A number, so that a platform can check that it is not root.
USER 65532:65532
WORKDIR /tmp
EXPOSE 8443 9000 9001 9002
ENTRYPOINT ["/usr/local/bin/storage-auth"]
CMD ["serve", "--listen=0.0.0.0", "--plain-http", "--oss-port=9000", "--cos-port=9001", "--s3-port=9002", "--status-port=9090"]
