// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import COSAuth
import ExampleSupport
import Hummingbird
import LocalCloud
import NIOCore
import OSSAuth
import StorageAuth
import StorageAuthServer

/// An example of a web page that uploads files from the browser directly to OSS or COS.
///
/// This server creates the forms and receives no file. LocalCloud stands for both services. Open the URL that the
/// program prints and select a file.
@main
struct FormUploadExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "FormUploadExample", abstract: "Serves a page with form uploads to OSS and COS.",
    discussion: "The services are those of LocalCloud: the example does not leave this machine.")

  @Option(help: "The port of the page.")
  var port = 8000

  @Option(
    help: ArgumentHelp(
      "The lead of LocalCloud's clock, which makes forms expire before they arrive.", valueName: "seconds"))
  var cloudClockAhead = 0

  func run() async throws {
    let origin = "http://127.0.0.1:\(port)"
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let ahead = Duration.seconds(cloudClockAhead)
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(key)], buckets: [FormDesk.bucket], allowedOrigins: [origin],
        clock: { .now.advanced(by: ahead) }))
    let desk = FormDesk(key: key, oss: cloud.ossEndpoint, cos: cloud.cosEndpoint)
    let router = Router()
    // Forms are created without a login, so only pages from this machine may request them.
    router.add(middleware: LoopbackHostMiddleware())
    router.get("/") { _, _ in Self.answer(String(decoding: PackageResources.page_html, as: UTF8.self), "text/html") }
    router.get("/forms/:service") { _, context in
      guard let form = try desk.form(for: try context.parameters.require("service")) else {
        throw HTTPError(.notFound)
      }
      return Self.answer(form.json, "application/json")
    }
    let limits = ConnectionLimits()
    let server = Application(
      router: router, server: .http1(limits),
      configuration: .init(
        address: .hostname("127.0.0.1", port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { _ in say("open \(origin)/") })
    do {
      try await server.runService()
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  private static func answer(_ text: String, _ type: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}

/// The rules for uploads, and the key that signs the forms.
///
/// No other type has the key.
struct FormDesk: Sendable {
  static let bucket = "photos-1250000000"

  let key: AccessKey
  let oss: ServiceEndpoint
  let cos: ServiceEndpoint

  /// Returns a form for the logged-in user, who is always alice here, or `nil` for an unknown service.
  ///
  /// The form uploads pictures of up to one mebibyte into the user's folder, for ten minutes.
  func form(for service: String) throws -> SignedForm? {
    let rule = AccessRule(
      .write, objects: .prefix("uploads/alice/"), in: Self.bucket, upTo: 1 << 20, types: ["image/*"])
    let context = SigningContext.now
    let policy = try FormPolicy(rule, until: context.date.advanced(by: .seconds(600)), response: .created)
    return switch service {
    case "oss": try OSSSigner(.v4, region: "cn-hangzhou").sign(policy, to: oss, with: key, in: context)
    case "cos": try COSSigner().sign(policy, to: cos, with: key, in: context)
    default: nil
    }
  }
}
