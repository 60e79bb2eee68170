// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalCloud
import StorageClient
import XCTest

@testable import PhotoApp

/// A running LocalCloud with a bucket, and an app server that issues keys to users who have logged in.
struct PhotoCloud {
  static let login = "login-of-mia"
  private static let account = AccessKey(id: "LTAIphotos", secret: "not-a-secret")

  let server: LocalCloud
  let transport = WatchedTransport()

  init(_ test: XCTestCase) async throws {
    let server = try await LocalCloud.start(
      .init(
        accounts: [.init(Self.account)], buckets: ["photos"], isStrict: true,
        services: .init(appToken: Secret(Self.login))))
    test.addTeardownBlock { await server.stop() }
    self.server = server
  }

  private var endpoint: String { "\(server.ossEndpoint.scheme)://\(server.ossEndpoint.authority)" }

  /// The model of an app whose user has logged in with a token, and has the whole bucket.
  @MainActor
  func model(login: String = Self.login, background: any BackgroundUploads = NoBackgroundUploads()) -> PhotoModel {
    let service = PhotoService(
      server: "\(server.servicesURL)/oss", provider: .oss, bucket: "photos", region: "cn-hangzhou", endpoint: endpoint)
    return PhotoModel(
      service.photos(of: Session(user: "mia", token: login), over: transport), folder: "", background: background)
  }

  /// A client of the account itself, which looks at what the app has stored.
  var owner: StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: server.ossEndpoint), credentials: Self.account)
  }

  /// The answer to a request for the uploads that were neither completed nor aborted.
  func unfinishedUploads() async throws -> String {
    let request = try owner.provider.endpoint.request(
      .get, bucket: "photos", parameters: [RequestTarget.Parameter(name: "uploads", value: nil)])
    var answer: [UInt8] = []
    for try await chunk in try await owner.send(request).body { answer += chunk }
    return String(decoding: answer, as: UTF8.self)
  }
}

/// The background uploads of a test without any.
struct NoBackgroundUploads: BackgroundUploads {
  func start(_ file: FilePath, with request: PresignedRequest, for key: String) async throws {
    XCTFail("an upload was handed over to the system")
  }

  var results: AsyncStream<BackgroundResult> { AsyncStream { $0.finish() } }
}

/// Background uploads that send a file at once, as the system does: without the app's keys, only with the request.
final class ImmediateBackgroundUploads: BackgroundUploads {
  let results: AsyncStream<BackgroundResult>
  private let ends: AsyncStream<BackgroundResult>.Continuation

  init() {
    (results, ends) = AsyncStream.makeStream()
  }

  func start(_ file: FilePath, with request: PresignedRequest, for key: String) async throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file.string)))
    let reply = try await AsyncHTTPClientTransport.shared.send(HTTPRequest(request, bytes.count), body: .bytes(bytes))
    let status = reply.response.status
    end(key, failure: status == .ok ? nil : "The service answered \(status.code).")
  }

  /// Reports the end of an upload, such as of one that an earlier launch of the app started.
  func end(_ key: String, failure: String? = nil) {
    ends.yield(BackgroundResult(key: key, failure: failure))
  }
}

extension HTTPRequest {
  /// Creates the request that a presigned request describes.
  init(_ presigned: PresignedRequest, _ length: Int) throws {
    let parts = try XCTUnwrap(presigned.url.wholeMatch(of: /(https?):\/\/([^\/]+)(\/.*)/)?.output)
    self.init(
      method: presigned.method, scheme: String(parts.1), authority: String(parts.2), path: String(parts.3),
      headerFields: presigned.headers)
    if method == .put { headerFields[.contentLength] = "\(length)" }
  }
}

/// A folder with the user's files, which is removed after the test.
struct Camera {
  private let folder: URL

  init(_ test: XCTestCase) throws {
    folder = FileManager.default.temporaryDirectory.appending(component: "photos-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    test.addTeardownBlock { [folder] in try FileManager.default.removeItem(at: folder) }
  }

  /// Writes a file with the given number of bytes, and returns its path and its bytes.
  func photo(_ byteCount: Int) throws -> (file: FilePath, bytes: [UInt8]) {
    // The period is a prime number, so that no two parts are equal.
    let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    while bytes.count < byteCount { bytes += period.prefix(byteCount - bytes.count) }
    let file = folder.appending(component: "\(UUID()).jpeg")
    try Data(bytes).write(to: file)
    return (FilePath(file.path), bytes)
  }
}
