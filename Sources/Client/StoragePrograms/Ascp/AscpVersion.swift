// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import StorageAuth

/// The version of an installed ascp, with its known limitations.
public struct AscpVersion: Sendable, Hashable, CustomStringConvertible {
  /// The version number as ascp prints it, such as `4.4.5.1646`.
  public let description: String

  /// Parses the output of `ascp -A`, of which the first line that begins with `ascp version` contains the version.
  init?(output: String) {
    let prefix = "ascp version "
    let line = output.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(prefix) }
    guard let text = line?.dropFirst(prefix.count).split(separator: " ").first, text.first?.isNumber == true else {
      return nil
    }
    description = String(text)
  }

  /// The major version number, or 0 if the version does not begin with a number.
  public var major: Int { description.split(separator: ".").first.flatMap { Int(digits: $0) } ?? 0 }

  /// The known limitations of this version with current servers, one sentence each.
  public var notes: [String] {
    guard major < 4 else { return [] }
    return [
      """
      ascp \(description) knows only RSA and DSA host keys with SHA-1: a fingerprint of another key of the server \
      never matches, and a server that has switched SHA-1 off ends in code 19.
      """,
      "ascp \(description) reads no ECDSA or Ed25519 keys, and none in the format of OpenSSH: code 19 as well.",
    ]
  }
}

extension AscpEngine {
  /// Returns the version that the engine's ascp prints for `ascp -A`.
  ///
  /// - Returns: The version, with notes about the limitations of an old version.
  /// - Throws: An `AsperaError` if the program prints no version in time, for example because it is not IBM's ascp.
  public func version() async throws(AsperaError) -> AscpVersion {
    let ran = await runWithoutPort(makeProcess(["-A"], [:]))
    guard ran.ending == .exited(0), let version = AscpVersion(output: ran.printed) else {
      throw AsperaError(
        .failed, "\(program) does not print a version of ascp.",
        remedy: "Run it with -A to see its output; use another program if it is not IBM's ascp.")
    }
    return version
  }
}
