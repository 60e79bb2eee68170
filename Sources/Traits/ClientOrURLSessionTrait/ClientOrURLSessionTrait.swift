// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !(Client || URLSession)
  #error(
    """
    StorageClient, StorageBackground and StorageClientTesting need the trait Client or URLSession of \
    swift-storage-auth. Where you depend on it, add traits: ["Client"] to .package(url: …, from: …). Where you \
    build swift-storage-auth itself, add --traits CommandLine to the command.
    """)
#endif
