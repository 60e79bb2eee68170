// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import SystemPackage

/// A client that sends and receives packages with IBM Aspera Faspex 5.
///
/// ```swift
/// let faspex = FaspexClient(
///   url: "https://faspex.example.com/aspera/faspex", user: "mia@example.com", clientID: id, key: key)
/// try await faspex.send(PackageDraft(title: "Dailies", recipients: ["noa@example.com"]), files: ["/film/day3.mov"])
/// for package in try await faspex.packages(in: .inbox) { try await faspex.receive(package, to: "/film/in") }
/// ```
///
/// Transfers need ascp, and a login that the transfer server accepts; see ``AsperaTransferOptions``.
public struct FaspexClient: Sendable {
  private static let pageSize = 100
  private static let finalUploadStatuses: Set = ["completed", "failed", "error", "stopped", "timed_out"]
  private static let completionTimeout = Duration.seconds(600)
  private static let pollInterval = Duration.seconds(1)

  let api: ApplicationAPI
  private let transfers: AsperaTransferOptions
  /// The cache of the transfer context, which is created for the first transfer because it needs ascp and a key.
  private let contextCache = StoreCache()

  /// Creates a client whose access tokens come from a credential provider.
  ///
  /// - Parameters:
  ///   - url: The base URL of Faspex, such as `https://faspex.example.com/aspera/faspex`.
  ///   - credentials: The provider of access tokens. Unless it is a `CredentialCache`, it is wrapped in a new cache.
  ///   - transfers: The settings for file transfers: login, program and rates. The login cannot be
  ///     ``AsperaTransferOptions/Login/dynamicKey``, for which Faspex has no request.
  ///   - transport: The transport that sends the requests to the API.
  public init(
    url: String, credentials: some CredentialProvider<OAuthBearer>,
    transfers: AsperaTransferOptions = AsperaTransferOptions(), transport: any HTTPTransport = .platformDefault
  ) { self.init(url: url, credentials: credentials, transfers: transfers, transport: transport, time: .system) }

  /// Creates a client that gets its access tokens with JWT grants.
  ///
  /// - Parameters:
  ///   - url: The base URL of Faspex.
  ///   - user: The user name or e-mail address of the user.
  ///   - clientID: The ID of the API client, which allows JWT grants.
  ///   - key: The private key whose public key is in the user's account settings.
  ///   - transfers: The settings for file transfers, without a dynamic key.
  ///   - transport: The transport that sends the requests to the API and for tokens.
  public init(
    url: String, user: String, clientID: String, key: JWTSigningKey,
    transfers: AsperaTransferOptions = AsperaTransferOptions(), transport: any HTTPTransport = .platformDefault
  ) {
    let grant = JWTGrant.faspex(url: url, user: user, clientID: clientID)
    let provider = JWTGrantProvider(grant, key: key)
    self.init(url: url, credentials: provider, transfers: transfers, transport: transport)
  }

  package init(
    url: String, credentials: some CredentialProvider<OAuthBearer>, transfers: AsperaTransferOptions,
    transport: any HTTPTransport, time: any SigningClock
  ) {
    let tokens =
      credentials as? CredentialCache<OAuthBearer> ?? CredentialCache(credentials, in: .system(transport, time))
    api = ApplicationAPI(name: "Faspex", url: url, tokens: tokens, transport: transport, time: time)
    self.transfers = transfers
  }

  /// Returns the packages in a box, the latest first.
  ///
  /// - Parameters:
  ///   - box: The box whose packages are listed.
  ///   - limit: The maximum number of packages; none are requested if it is less than 1.
  /// - Returns: The packages; fewer than `limit` if the box has fewer packages.
  /// - Throws: `ServiceError` if the service refuses the request, `StorageError` if the response is malformed, and the
  ///   `CredentialError` or `TransportError` of the request.
  public func packages(in box: FaspexBox = .inbox, limit: Int = 1_000) async throws -> [FaspexPackage] {
    var packages: [FaspexPackage] = []
    var ids: Set<ByteExactString> = []
    var offset = 0
    // All pages have this size, because a shorter last page could consist of packages that a new one moved onto it.
    let pageSize = min(Self.pageSize, limit)
    while packages.count < limit {
      let page = try await api.call(.get, "/api/v5/\(box.name)/packages?offset=\(offset)&limit=\(pageSize)")
      guard let list = page["packages"]?.array else { throw StorageError.malformedResponse("it has no packages") }
      let listed = try list.prefix(pageSize).map { element throws(StorageError) in try FaspexPackage(element) }
      // A package that arrives meanwhile moves the others, so that the last ones of the page before occur again.
      let newPackages = listed.filter { ids.insert(ByteExactString($0.id)).inserted }
      packages += newPackages
      if list.count < pageSize { break }
      guard !newPackages.isEmpty else {
        throw StorageError.malformedResponse("its packages at position \(offset) are those of earlier positions")
      }
      offset += pageSize
    }
    return Array(packages.prefix(max(0, limit)))
  }

  /// Creates a package, uploads files and folders into it, and waits until Faspex has completed it.
  ///
  /// If the upload fails or is cancelled, the incomplete package remains in Faspex.
  ///
  /// - Parameters:
  ///   - draft: The title, the recipients and the note of the package.
  ///   - files: The paths of the files and folders to send, at least one.
  ///   - progress: A closure that receives the progress of the upload, or `nil`.
  /// - Returns: The package as Faspex reports it after the upload.
  /// - Throws: The errors of ``packages(in:limit:)``, a `TransferFailure` if the upload fails, an `AsperaError` if ascp
  ///   or a key for it is missing, and a `CancellationError`.
  @discardableResult public func send(
    _ draft: PackageDraft, files: [FilePath], progress: TransferProgress.Handler? = nil
  ) async throws -> FaspexPackage {
    guard !files.isEmpty else {
      throw StorageError(.invalidOption, "The package has no files.", remedy: "Pass one file or more.")
    }
    let context = try context
    let package = try FaspexPackage(try await api.call(.post, "/api/v5/packages", draft.document))
    let packagePath = "/api/v5/packages/\(package.id.percentEncoded())"
    let sources = files.map(\.absolute.string)
    let issuer = FaspexTokenIssuer(
      api, path: "\(packagePath)/transfer_spec/upload?transfer_type=connect",
      body: ["paths": .array(sources.map { .string($0) })])
    let specification = try await issuer.fetchFirstSpecification()
    guard let root = specification.destinationRoot else {
      throw StorageError.malformedResponse("the transfer specification has no destination_root")
    }
    let spec = TransferSpec(.send, sources.map { TransferPath($0) }, destinationRoot: root)
    try await runTransfer(spec, issuer: issuer, in: context, progress: progress)
    try await waitForCompletion(of: package.id)
    return try FaspexPackage(try await api.call(.get, packagePath))
  }

  /// Downloads the files of a package into a local folder.
  ///
  /// - Parameters:
  ///   - package: The package, as ``packages(in:limit:)`` returns it.
  ///   - folder: The path of the local folder, which is created if necessary.
  ///   - box: The box that contains the package.
  ///   - progress: A closure that receives the progress of the download, or `nil`.
  /// - Throws: The errors of ``send(_:files:progress:)``.
  public func receive(
    _ package: FaspexPackage, to folder: FilePath, from box: FaspexBox = .inbox,
    progress: TransferProgress.Handler? = nil
  ) async throws {
    let path = "/api/v5/packages/\(package.id.percentEncoded())/transfer_spec/download"
    let issuer = FaspexTokenIssuer(api, path: "\(path)?transfer_type=connect&type=\(box.downloadType)", body: [:])
    let specification = try await issuer.fetchFirstSpecification()
    guard !specification.paths.isEmpty else {
      throw StorageError.malformedResponse("the transfer specification has no paths")
    }
    let paths = specification.paths.map { TransferPath($0.source) }
    let spec = TransferSpec(.receive, paths, destinationRoot: folder.absolute.string)
    try await runTransfer(spec, issuer: issuer, in: try context, progress: progress)
  }

  private var context: FaspexContext { get throws { try contextCache.value { try FaspexContext(transfers, of: api) } } }

  private func runTransfer(
    _ spec: TransferSpec, issuer: FaspexTokenIssuer, in context: FaspexContext, progress: TransferProgress.Handler?
  ) async throws {
    var spec = spec
    spec.createsFolder = true
    let session = transfers.makeSession(spec, account: context.account, issuer: issuer)
    try await context.queue.runToEnd(session, size: nil, meter: ProgressMeter(total: nil, handler: progress))
  }

  private func waitForCompletion(of id: String) async throws {
    let deadline = api.time.uptime + Self.completionTimeout
    var status: String?
    var lastError: (any Error)?
    repeat {
      // The files are in Faspex, so that a temporary error is no reason to report a failure.
      do {
        status = try await uploadStatus(of: id) ?? "unknown"
      } catch let error where ApplicationAPI.isRetryable(error) { lastError = error }
      if let status, Self.finalUploadStatuses.contains(status) { break }
      try await api.time.sleep(for: Self.pollInterval)
    } while api.time.uptime < deadline
    if status == nil, let lastError { throw lastError }
    guard status == "completed" else {
      throw TransferFailure(
        .caller,
        "Faspex has not completed the package \(id): the state of its upload is \(status?.onOneLine ?? "unknown").",
        remedy: "Look at the package in Faspex; send it again if the upload failed.")
    }
  }

  private func uploadStatus(of id: String) async throws -> String? {
    let details = try await api.call(.get, "/api/v5/packages/\(id.percentEncoded())/upload_details")
    switch details["upload_status"] {
    case .string(let status)?: return MessageFilter().applied(to: status)
    case .null?: return nil
    default: throw StorageError.malformedResponse("it has no upload_status")
    }
  }
}

/// A token issuer that requests a package's transfer specification, first before the transfer to learn the paths.
final class FaspexTokenIssuer: TokenIssuer {
  let source = "Faspex"

  private let api: ApplicationAPI
  private let path: String
  private let body: JSONValue
  private let unusedSpecification = Lock<TransferSpec?>(nil)

  init(_ api: ApplicationAPI, path: String, body: JSONValue) {
    self.api = api
    self.path = path
    self.body = body
  }

  /// Requests the first specification, whose token is then issued without another request.
  func fetchFirstSpecification() async throws -> TransferSpec {
    let specification = try await fetchSpecification()
    unusedSpecification.withLock { $0 = specification }
    return specification
  }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let specification: TransferSpec
    let first = unusedSpecification.withLock { $0.take() }
    do {
      specification = if let first { first } else { try await fetchSpecification() }
    } catch { throw ApplicationAPI.credentialError(error, from: source) }
    guard let token = specification.token.flatMap({ try? AsperaToken($0) }) else {
      throw CredentialError(
        .malformedResponse, source: source, "The transfer specification has a token that cannot be used.",
        remedy: "Check the version of Faspex.")
    }
    return IssuedCredential(TransferCredential(token: token, specification: specification), source: source)
  }

  private func fetchSpecification() async throws -> TransferSpec {
    let response = try await api.call(.post, path, body)
    if let refusal = NodeRefusal(of: response) {
      throw ServiceError(refusal, in: HTTPResponse(status: .ok), subject: "\(api.name): POST \(path)")
    }
    guard let fields = response.object else {
      throw StorageError.malformedResponse("the transfer specification is not an object")
    }
    let specification = TransferSpec(fields: fields)
    guard specification.token != nil else {
      throw StorageError.malformedResponse("the transfer specification has no token")
    }
    return specification
  }
}

/// The transfer queue and the login that all transfers of a client share.
private struct FaspexContext: Sendable {
  let queue: TransferQueue
  let account: AsperaAccount?

  init(_ transfers: AsperaTransferOptions, of api: ApplicationAPI) throws {
    try transfers.requireNoExcludedServerOption()
    // The application's transfer specification names the server, unless the caller does.
    let host = ServiceURL(api.url).map { AsperaAccount.host(of: $0.authority) } ?? ""
    account = try transfers.account(on: transfers.server.host ?? host) {
      throw StorageError(
        .unsupported, "\(api.name) has no request that registers a generated key.",
        remedy: "Log in with a key that the transfer server knows.")
    }
    queue = TransferQueue(
      engine: try transfers.makeEngine(api.time), configuration: transfers.queue, in: .system(api.transport, api.time))
  }
}
