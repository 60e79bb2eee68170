// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import AsyncHTTPTransport
import HTTPTypes
import Hummingbird
import LocalCloud
import NIOCore
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import XCTest

/// The context of an app's server that receives callbacks.
struct CallbackContext: CallbackRequestContext {
  var coreContext: CoreRequestContextStorage
  var callback: VerifiedCallback?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// A local OSS that sends callbacks, and an app's server that verifies them.
struct CallbackBench {
  static let key = AccessKey(id: "test-id", secret: "test-secret")

  let cloud: LocalCloud
  /// The URL of the app's server, without a path.
  let server: String
  let client: StorageClient<OSSProvider>
  /// The callbacks that reached the handler.
  let handled: Handled

  final class Handled: Sendable {
    private let all = Lock<[VerifiedCallback]>([])

    var callbacks: [VerifiedCallback] { all.withLock { $0 } }

    func append(_ callback: VerifiedCallback) { all.withLock { $0.append(callback) } }
  }

  init(_ test: XCTestCase, reply: String = #"{"Status":"OK"}"#, status: HTTPResponse.Status = .ok) async throws {
    var configuration = LocalCloud.Configuration(accounts: [.init(Self.key)], buckets: ["photos"])
    configuration.callbacks = LocalCloud.Callbacks(transport: AsyncHTTPClientTransport.shared)
    let cloud = try await LocalCloud.start(configuration)
    test.addTeardownBlock { await cloud.stop() }
    let verifier = CallbackVerifier(
      keyHosts: [cloud.servicesEndpoint.authority], bodyLimit: 4096, transport: AsyncHTTPClientTransport.shared)
    let handled = Handled()
    let router = Router(context: CallbackContext.self)
    router.add(middleware: CallbackMiddleware(verifier)).post("**") { request, context in
      let body = try await request.body.collect(upTo: 1 << 20)
      if let callback = context.callback, Array(buffer: body) == callback.body { handled.append(callback) }
      return Response(
        status: status, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: reply)))
    }
    self.cloud = cloud
    self.handled = handled
    server = try await RunningServer.start(router, test)
    client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: Self.key,
      configuration: StorageClientConfiguration(multipartThreshold: 200_000, partSize: 102_400))
  }

  func callback(
    _ path: String = "/uploaded?id=1",
    body: String = "bucket=${bucket}&object=${object}&size=${size}&type=${mimeType}&by=${operation}&user=${x:user}",
    format: UploadCallback.BodyFormat = .form
  ) -> UploadCallback {
    UploadCallback(to: [server + path], body: body, format: format, variables: ["x:user": "a&b=ü"])
  }
}
