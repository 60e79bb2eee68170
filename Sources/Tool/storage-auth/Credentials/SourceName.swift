// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The name of a credential source on the command line, such as `environment`.
///
/// Each cloud has a separate set of names.
struct SourceName: ExpressibleByArgument, ExpressibleByStringLiteral, Hashable, CustomStringConvertible {
  /// The name that all clouds use for the source that requests keys from the instance's metadata service.
  static let metadata: SourceName = "metadata"

  /// The source's name as on the command line.
  let description: String

  init(stringLiteral name: String) {
    description = name
  }

  init(argument: String) {
    description = argument
  }
}
