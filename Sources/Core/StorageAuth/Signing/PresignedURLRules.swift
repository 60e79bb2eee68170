// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The meaning that the parameters of a service's presigned URLs have for the holder of a URL.
///
/// All names are in lowercase.
package struct PresignedURLRules: Sendable {
  /// The prefixes of parameters that do not change the bytes that the service sends.
  private let prefixes: [String]

  /// Further parameters that do not change the bytes that the service sends.
  private let names: Set<String>

  /// The parameters that change the bytes although they have such a prefix.
  private let exceptions: Set<String>

  /// The parameters and headers that make the service call a server of the app after an upload.
  package let callbackNames: Set<String>

  /// Returns the expiration that the parameters of a URL state, or `nil` if they are not those of the service.
  package let expiration: @Sendable (_ parameters: [String: String]) -> Timestamp?

  package init(
    prefixes: [String], names: Set<String> = [], exceptions: Set<String> = [], callbackNames: Set<String> = [],
    expiration: @escaping @Sendable (_ parameters: [String: String]) -> Timestamp?
  ) {
    self.prefixes = prefixes
    self.names = names
    self.exceptions = exceptions
    self.callbackNames = callbackNames
    self.expiration = expiration
  }

  /// Returns whether a parameter does not change the bytes that the service sends.
  package func leavesObjectUnprocessed(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.hasBytePrefix($0) } && !exceptions.contains(name)
  }

  /// Returns the expiration of a URL with a date in the basic format of ISO 8601 and a lifetime in seconds.
  package static func expiration(from date: String?, after seconds: String?) -> Timestamp? {
    guard let start = date.flatMap({ Timestamp(iso8601Basic: $0) }),
      let seconds = seconds.flatMap({ Int64(digits: $0) })
    else { return nil }
    return start.advanced(by: .seconds(seconds))
  }
}
