import COSAuth
public import Hummingbird
import OSSAuth
public import StorageAuth
import StorageAuthServer

/// A service that keeps files for its accounts and takes every request signed as for OSS (V1 and V4) or COS.
///
/// The bucket is `files` and stands in the path, so that a signer whose endpoint is the service signs for it as for the
/// cloud. Each account has files of its own.
public struct VerifiedService: Sendable {
  /// The name of the bucket.
  public static let bucket: WireText = "files"

  private let middleware: SignatureMiddleware<ServiceContext>
  private let files = FileStore()

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - accounts: The keys that requests may be signed with.
  ///   - isStrict: Whether a COS signature has to cover the host, Content-Length and every parameter, which the vendor's
  ///     older SDKs leave out.
  ///   - time: The clocks.
  public init(accounts: [AccessKey], isStrict: Bool = false, time: any SigningClock = .system) {
    // One line says what is accepted: which schemes, from whom, how often. The rest of the service trusts its outcome.
    middleware = SignatureMiddleware(
      OSSVerifier(style: .path), COSVerifier(mode: isStrict ? .strict : .compatible, style: .path),
      replays: ReplayGuard(MemoryReplayStore(limit: 5_000)), time: time
    ) { id in accounts.first { $0.id == id } }
  }

  /// The routes, each behind the middleware.
  public var router: Router<ServiceContext> {
    let router = Router(context: ServiceContext.self)
    router.add(middleware: middleware).group(context: FileContext.self)
      .put("\(Self.bucket)/**") { [files] request, context -> HTTPResponse.Status in
        let body = try await request.body.collect(upTo: FileStore.fileByteLimit)
        try files.write(Array(body.readableBytesView), to: context.file)
        return .ok
      }
      .get("\(Self.bucket)/**") { [files] _, context in
        VerifiedAnswer(context.verified, byteCount: files.byteCount(of: context.file))
      }
      .delete("\(Self.bucket)/**") { [files] _, context -> HTTPResponse.Status in
        files.delete(context.file)
        return .noContent
      }
    return router
  }
}
