// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension RequestTarget.Parameter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name and the value; the value of a session token or a signature is masked.
  public var description: String {
    guard let value else { return name.string }
    return "\(name)=\(SecretName.isSecret(name.string) ? Secret.mask : value.string)"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the name and the value, which is masked if it is secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["name": name.string, "value": SecretName.isSecret(name.string) ? Secret.mask : value?.string as Any])
  }
}
