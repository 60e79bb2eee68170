// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension RequestTarget.Parameter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The parameter as `name=value`, with the value masked if it is a session token or a signature.
  public var description: String {
    guard let value else { return name.string }
    return "\(name)=\(SecretName.isSecret(name.string) ? Secret.mask : value.string)"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the parameter's name and value; a secret value is masked.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["name": name.string, "value": SecretName.isSecret(name.string) ? Secret.mask : value?.string as Any])
  }
}
