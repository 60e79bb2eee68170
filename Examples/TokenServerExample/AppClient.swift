// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredentialSources
import ExampleSupport
import Foundation
import NIOCore
import NIOHTTP1
import StorageClient

/// An app on a phone, which logs in once and whose storage client requests keys from the app server when necessary.
struct AppClient {
  struct LoginFailed: Error {
    let status: UInt
  }

  let photos: StorageClient<OSSProvider>
  private let observation: EventHub.Observation

  init(user: String, password: String, server: String, cloud: String) async throws {
    var login = HTTPClientRequest(url: "\(server)/login")
    login.method = .POST
    login.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(Login(name: user, password: password))))
    let answer = try await HTTPClient.shared.execute(login, timeout: .seconds(30))
    guard answer.status == .ok else { throw LoginFailed(status: answer.status.code) }
    let session = String(buffer: try await answer.body.collect(upTo: 1024))
    let keys = CredentialCache(
      AppServerCredentialProvider(source: "the app's server") {
        AppServerRequest("\(server)/api/distribute-token.json", headers: [.authorization: "Bearer \(session)"])
      })
    observation = keys.events.observe { event in
      if case .refresh(let refresh) = event, case .succeeded = refresh.outcome {
        say("  \(user)'s app has a new key")
      }
    }
    photos = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud), credentials: keys)
  }

  /// Prints the content of an object, or the reason why it cannot be downloaded.
  func show(_ key: String) async {
    do {
      say("  \(key): \(String(decoding: try await photos.download(key, upTo: 1 << 20), as: UTF8.self))")
    } catch let error as ServiceError {
      say("  \(key): \(error.code)")
    } catch {
      say("  \(key): \(error)")
    }
  }
}
