import ArgumentParser
import COSAuth
import ExampleSupport
import Hummingbird
import LocalCloud
import NIOCore
import OSSAuth
import StorageAuth
import StorageAuthServer

/// A page that uploads from the browser straight to OSS or COS: this server hands out forms and sees no file.
///
/// The services are those of LocalCloud. Open the URL that is printed and pick a file.
@main
struct FormUploadExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "FormUploadExample", abstract: "Serves a page that uploads to OSS and COS by form.",
    discussion: "The services are those of LocalCloud: nothing outside this machine is touched.")

  @Option(help: "The port of the page.")
  var port = 8000

  @Option(
    help: ArgumentHelp(
      "How far the clock of LocalCloud is ahead; forms have ended before they arrive then.", valueName: "seconds"))
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
    // Forms are handed out without a login: to pages of this machine alone.
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

/// Who may upload what: the only place that has the key.
struct FormDesk: Sendable {
  static let bucket = "photos-1250000000"

  let key: AccessKey
  let oss: ServiceEndpoint
  let cos: ServiceEndpoint

  /// A form for the user who is logged in, here always alice; nothing for a service that there is not.
  ///
  /// It uploads pictures of up to a mebibyte below a folder of her own, for ten minutes.
  func form(for service: String) throws -> SignedForm? {
    let rule = AccessRule(
      .write, objects: .prefix("uploads/alice/"), in: Self.bucket, upTo: 1 << 20, types: ["image/*"])
    let context = SigningContext.now
    let policy = try FormPolicy(rule, until: context.date.advanced(by: .seconds(600)), answer: .created)
    return switch service {
    case "oss": try OSSSigner(.v4, region: "cn-hangzhou").sign(policy, to: oss, with: key, in: context)
    case "cos": try COSSigner().sign(policy, to: cos, with: key, in: context)
    default: nil
    }
  }
}
