// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A type whose values can hold secrets, and that shows no more of a value than its description.
///
/// A conforming type implements `description` without the secrets. `print`, `dump`, `Mirror` and debuggers then show
/// this text, and none of the stored properties.
///
/// ```swift
/// extension Login: Redacted {
///   public var description: String { "Login(\(user))" }
/// }
/// ```
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The same text as `description`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
