// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import COSAuth
public import Hummingbird
import OSSAuth
public import StorageAuth
import StorageAuthServer

/// A service that stores files for its accounts and requires requests signed as for OSS (V1 and V4) or COS.
///
/// The bucket is `files` and is in the path, so that a signer whose endpoint is the service signs for it as for the
/// cloud. Each account has its own files.
public struct VerifiedService: Sendable {
  /// The name of the bucket.
  public static let bucket: WireText = "files"

  private let middleware: SignatureMiddleware<ServiceContext>
  private let files = FileStore()

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - accounts: The keys with which requests can be signed.
  ///   - isStrict: Whether a COS signature must cover the host, Content-Length and every parameter, which the vendor's
  ///     older SDKs leave out.
  ///   - time: The clocks.
  public init(accounts: [AccessKey], isStrict: Bool = false, time: any SigningClock = .system) {
    // This is the only line that states the accepted schemes, keys and replays. The rest of the service relies on its
    // result.
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
