// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !Operations
  #error(
    """
    StorageOperations needs the trait Operations of swift-storage-auth. Where you depend on it, add traits: \
    ["Operations"] to .package(url: …, from: …). Where you build swift-storage-auth itself, add --traits \
    CommandLine to the command.
    """)
#endif
