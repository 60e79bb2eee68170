// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredentialSources
import ExampleSupport
import Foundation
import KeyServer
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageClient

/// An app on a phone, which logs in once and whose storage client requests keys from the app server when necessary.
final class AppClient: Sendable {
  struct LoginFailed: Error {
    let status: UInt
  }

  /// The temporary keys, which the cache requests from the app server and refreshes before they expire.
  let keys: CredentialCache<AccessKey>

  let photos: any ObjectStore

  /// The names of the members of the app server's response, such as `credentials.tmpSecretId`.
  let names: [String]

  private let observation: EventHub.Observation
  private let received: Count

  /// The number of keys that the app has received.
  var keyCount: Int { received.value }

  init(user: String, password: String, server: String, _ service: Service, _ cloud: LocalCloud) async throws {
    var login = HTTPClientRequest(url: "\(server)/login")
    login.method = .POST
    login.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(Login(name: user, password: password))))
    let answer = try await HTTPClient.shared.execute(login, timeout: .seconds(30))
    guard answer.status == .ok else { throw LoginFailed(status: answer.status.code) }
    let session = String(buffer: try await answer.body.collect(upTo: 1024))

    let url = "\(server)/distribute-token.json"
    names = try await Self.names(at: url, session)
    keys = CredentialCache(
      AppServerCredentialProvider(source: "the app's server", format: service.appFormat) {
        AppServerRequest(url, headers: [.authorization: "Bearer \(session)"])
      })
    let received = Count()
    observation = keys.events.observe { event in
      if case .refresh(let refresh) = event, case .succeeded = refresh.outcome { received.increment() }
    }
    self.received = received
    photos = service.client(keys, cloud)
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

  private static func names(at url: String, _ session: String) async throws -> [String] {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Authorization", value: "Bearer \(session)")
    let body = try await HTTPClient.shared.execute(request, timeout: .seconds(30)).body.collect(upTo: 1 << 16)
    func names(_ value: Any, below path: String) -> [String] {
      guard let object = value as? [String: Any] else { return [path] }
      return object.flatMap { names($1, below: path.isEmpty ? $0 : "\(path).\($0)") }
    }
    return try names(JSONSerialization.jsonObject(with: Data(Array(body.readableBytesView))), below: "").sorted()
  }
}

/// A number that an observer and the app share.
private final class Count: @unchecked Sendable {
  // Safe: the lock guards the count.
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func increment() { lock.withLock { count += 1 } }
}
