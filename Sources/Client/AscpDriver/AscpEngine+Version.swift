// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import StorageAuth

extension AscpEngine {
  /// Returns the version that the engine's ascp prints for `ascp -A`.
  ///
  /// - Returns: The version, with notes about the limitations of an old version.
  /// - Throws: An `AsperaError` if the program does not print a version in time, for example because the program is not
  ///   IBM's ascp.
  public func version() async throws(AsperaError) -> AscpVersion {
    let ran = await run(
      AscpProcess(
        program: program, arguments: ["-A"], environment: AscpEnvironment(from: environment, own: [:]),
        printedLimit: limits.printed))
    guard ran.ending == .exited(0), let version = AscpVersion(output: ran.printed) else {
      throw AsperaError(
        .failed, "\(program) does not print a version of ascp.",
        remedy: "Run it with -A to see its output; use another program if it is not IBM's ascp.")
    }
    return version
  }
}
