// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// The client's dependency on FoundationTransport on Linux and macOS, where the package trait `URLSession` decides; on
// the other systems the client depends on it directly. A target of SwiftPM has one condition for each dependency.

internal import FoundationTransport
