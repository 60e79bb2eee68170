// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

extension PrivateKey {
  /// Returns the unencrypted private key in OpenSSH's format (`BEGIN OPENSSH PRIVATE KEY`).
  ///
  /// Returns `nil` if SSH does not support the key's kind.
  ///
  /// - Parameter comment: The comment in the file, usually the name of the key.
  package func openSSHPEM(comment: String = "") -> SecretBytes? {
    guard let blob = handle.sshBlob, var secret = privateFields else { return nil }
    defer { secret.wipeBytes() }
    let check = UInt32.random(in: .min ... .max)
    var section = SSHFields()
    defer { section.wipeBytes() }
    section.append(check)
    section.append(check)
    section.append(raw: secret.bytes)
    section.append(comment)
    section.append(raw: Array(1...8).prefix((8 - section.bytes.count % 8) % 8).map { $0 })
    var container = SSHFields()
    defer { container.wipeBytes() }
    container.append(raw: Array("openssh-key-v1\0".utf8))
    container.append("none")
    container.append("none")
    container.append("")
    container.append(1)
    container.append(blob)
    container.append(section.bytes)
    var text = [UInt8](writing: { writer in
      writer.append("-----BEGIN OPENSSH PRIVATE KEY-----\n" as StaticString)
      for start in stride(from: 0, to: container.bytes.count, by: 48) {
        writer.append(base64: container.bytes[start..<min(start + 48, container.bytes.count)].span)
        writer.append(UInt8(ascii: "\n"))
      }
      writer.append("-----END OPENSSH PRIVATE KEY-----\n" as StaticString)
    })
    defer { wipe(&text) }
    return SecretBytes(text)
  }

  /// The fields in the private section of an OpenSSH key file, without the check integers and the comment.
  private var privateFields: SSHFields? {
    var fields = SSHFields()
    switch kind {
    case .rsa:
      fields.append("ssh-rsa")
      let numbers: [KeyNumber] = [
        .modulus, .publicExponent, .privateExponent, .coefficient, .firstPrime, .secondPrime,
      ]
      for name in numbers {
        guard var number = handle.number(name) else { return nil }
        fields.append(number: number)
        wipe(&number)
      }
    case .ecdsa(let curve):
      guard let point = handle.point(on: curve), var scalar = handle.number(.scalar) else { return nil }
      fields.append("ecdsa-sha2-\(curve.rawValue)")
      fields.append(curve.rawValue)
      fields.append(point)
      fields.append(number: scalar)
      wipe(&scalar)
    case .ed25519:
      guard let point = handle.ed25519Point, var seed = handle.ed25519Seed else { return nil }
      fields.append("ssh-ed25519")
      fields.append(point)
      fields.append(seed + point)
      wipe(&seed)
    case .dsa, .other: return nil
    }
    return fields
  }
}
