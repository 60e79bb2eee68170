// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A part of a text that a signature covers, divided after the request's path.
///
/// The parts before and after the keys of a bucket's objects are the same for all objects.
package enum SignedTextPart: Sendable {
  case whole
  case throughPath
  case afterPath

  package var hasPath: Bool { self != .afterPath }

  package var hasRest: Bool { self != .throughPath }
}
