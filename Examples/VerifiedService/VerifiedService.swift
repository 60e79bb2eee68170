// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
public import Hummingbird
import OSSAuth
public import StorageAuth
public import StorageAuthServer

/// A service that stores files for its accounts and requires requests with OSS (V1 or V4) or COS signatures.
///
/// The bucket `files` is in the path, so that a signer whose endpoint is this service signs requests as for the cloud.
/// Each account has separate files.
public struct VerifiedService: Sendable {
  /// The name of the service's only bucket.
  public static let bucket: ByteExactString = "files"

  private let middleware: SignatureMiddleware<ServiceContext>
  private let files = FileStore()

  /// Creates a service for the given accounts.
  ///
  /// - Parameters:
  ///   - accounts: The keys that may sign requests.
  ///   - isStrict: Whether a COS signature must include the host, Content-Length and every parameter, which the
  ///     vendor's older SDKs leave out.
  ///   - replays: The store of used signatures, which several instances can share.
  ///   - time: The clock that is used to verify signing times and expirations.
  public init(
    accounts: [AccessKey], isStrict: Bool = false,
    replays: any ReplayStore = MemoryReplayStore(limit: 5_000), time: any SigningClock = .system
  ) {
    // This is the only statement that defines the accepted signature versions, keys and replays. The rest of the
    // service relies on the middleware's result.
    middleware = SignatureMiddleware(
      OSSVerifier(style: .path), COSVerifier(mode: isStrict ? .strict : .compatible, style: .path),
      replays: ReplayGuard(replays), time: time
    ) { id in accounts.first { $0.id == id } }
  }

  /// The routes of the service.
  ///
  /// A request reaches them only after the signature middleware verified it.
  public var router: Router<ServiceContext> {
    let router = Router(context: ServiceContext.self)
    router.add(middleware: middleware).group(context: FileContext.self)
      .put("\(Self.bucket)/**") { [files] request, context -> HTTPResponse.Status in
        let body = try await request.body.collect(upTo: FileStore.fileByteLimit)
        try await files.write(Array(body.readableBytesView), to: context.file)
        return .ok
      }
      .get("\(Self.bucket)/**") { [files] _, context in
        VerifiedAnswer(context.verified, byteCount: await files.byteCount(of: context.file))
      }
      .delete("\(Self.bucket)/**") { [files] _, context -> HTTPResponse.Status in
        await files.delete(context.file)
        return .noContent
      }
    return router
  }
}
