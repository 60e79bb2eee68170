// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageJSON

extension DeskClient {
  /// Connects to the transfer desk, checks the desk's host key, and logs in.
  ///
  /// The login comes last, so that no secret is sent to another host.
  static func open(_ invocation: Invocation) async throws(Failure) -> DeskClient {
    let keys = try LoginKeys.read(invocation.keyFiles, invocation.secrets)
    let desk = try await DeskClient(host: invocation.host, port: invocation.sshPort)
    if let expected = invocation.fingerprint, expected != desk.hostKey {
      throw Failure(51, "Remote host is not who we expected")
    }
    var login = JSONObject()
    login["user"] = .string(invocation.user)
    login["password"] = invocation.secrets.password.map { .string($0.reveal()) }
    login["public_keys"] = .array(keys.map { .string($0) })
    try await desk.call("login", .object(login))
    return desk
  }
}
