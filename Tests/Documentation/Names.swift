// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import AsperaTransfer
import Hummingbird
import LocalCloud
import Logging
import OSSAuth
import ServiceLifecycle
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageBackground
import StorageClient
import StorageClientTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

// Declarations of the names that the blocks of the documentation use. They are compiled only.

private func supposed<Value>() -> Value { while true {} }

var id: String { supposed() }
var secret: String { supposed() }
var token: String { supposed() }
var password: Secret { supposed() }
var key: AccessKey { supposed() }
var file: FilePath { supposed() }
var request: HTTPRequest {
  get { supposed() }
  set {}
}
var transport: any HTTPTransport { supposed() }
var http: any HTTPTransport { supposed() }
var machine: ProviderContext { supposed() }
var account: AsperaAccount { supposed() }
var logger: Logger { supposed() }

enum READMEPage {}
enum PlatformsPage {}
enum FoundationTransportPage {}

enum TheLayerPage {
  struct API {
    func transferGrant() async throws -> TransferCredential { supposed() }
  }
  static var api: API { supposed() }
  static var account: AsperaAccount { supposed() }
  static var engine: any TransferEngine { supposed() }
  static var issuer: any TokenIssuer { supposed() }
  static var keys: CredentialCache<AccessKey> { supposed() }
  /// The function that the page defines for its second block.
  static func authorize<S: Signer>(
    _ request: S.Request, with signer: S, using cache: CredentialCache<S.SigningCredential>, at date: Timestamp = .now
  ) async throws -> S.Request { supposed() }
}

enum AsperaClientPage {}

enum AsperaPage {
  static var secret: Secret { supposed() }
}

enum MigratingFromVendorSDKsPage {
  static var oss: StorageClient<OSSProvider> { supposed() }
  static var cos: StorageClient<COSProvider> { supposed() }
  static var node: StorageClient<AsperaProvider> { supposed() }
  static var cache: CredentialCache<AccessKey> { supposed() }
  static var nodeAccess: CredentialCache<AsperaNodeAccess> { supposed() }
  static var client: StorageClient<OSSProvider> { supposed() }
  static var transfers: BackgroundTransfers { supposed() }
  static var urlSession: URLSession { supposed() }
  static var configuration: URLSessionConfiguration { supposed() }
  static var presigned: PresignedRequest { supposed() }
  static var bytes: [UInt8] { supposed() }
  static var xml: [UInt8] { supposed() }
  static var etag: String { supposed() }
  static var date: Timestamp { supposed() }
  static var md5: String { supposed() }
  static var sha1: String { supposed() }
  static var callback: String { supposed() }
  static var variables: String { supposed() }
  static var customerKey: String { supposed() }
  struct API {
    func temporaryKey() async throws -> AccessKey { supposed() }
    func blockingTemporaryKey() throws -> AccessKey { supposed() }
    func decode(_ answer: [UInt8]) throws -> AccessKey { supposed() }
    func login() async -> String { supposed() }
    @concurrent func sign(_ request: SigningRequest) async throws -> SigningResponse { supposed() }
    func signature(of text: String) async throws -> String { supposed() }
    func blockingSign(_ request: SigningRequest) throws -> SigningResponse { supposed() }
    func grant(for request: TokenRequest) async throws -> TransferCredential { supposed() }
  }
  static var api: API { supposed() }
  static var queue: TransferQueue { supposed() }
  static var session: TransferSession { supposed() }
  static var spec: TransferSpec {
    get { supposed() }
    set {}
  }
  /// The function that the page defines for its tables.
  static func call<Provider: BucketProvider>(
    _ client: StorageClient<Provider>, _ method: HTTPRequest.Method, _ key: String? = nil,
    _ query: [String: String?] = [:], headers: HTTPFields = [:], body: [UInt8] = [], isRepeatable: Bool = true
  ) async throws -> (head: HTTPResponse, body: [UInt8]) { supposed() }
}

enum AsperaAccountsPage {}

enum AsperaQueuePage {}

enum AsperaTokensPage {
  static var pem: Secret { supposed() }
}

enum COSPage {}

enum CachingCredentialsPage {
  static var keys: CredentialCache<AccessKey> { supposed() }
  struct API {
    func temporaryKey() async throws -> AccessKey { supposed() }
  }
  static var api: API { supposed() }
  struct Keychain {
    func readKey() throws -> AccessKey { supposed() }
  }
  static var keychain: Keychain { supposed() }
  static var next: AccessKey { supposed() }
  static var vault: ClosureCredentialProvider<AccessKey> { supposed() }
  typealias Login = RemoteSigningPage.Login
  static var login: Login { supposed() }
  struct User: Sendable {
    var id: String { supposed() }
    var name: String { supposed() }
    var policy: AccessPolicy { supposed() }
  }
  struct UserContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var user: User { supposed() }
    init(source: Source) { coreContext = .init(source: source) }
  }
  static var router: Router<UserContext> { supposed() }
  static var service: TokenService { supposed() }
}

enum CredentialServicesPage {
  struct Session {
    func token() async -> String { supposed() }
  }
  static var session: Session { supposed() }
}

enum CredentialsPage {
  static var filesInMemory: any FileReader { supposed() }
  static var steppedTime: ManualClock { supposed() }
}

enum ExplainPage {}

enum SigningWithYourClientPage {}

enum FormUploadsPage {
  static var fields: [FormField] { supposed() }
  struct Accounts {
    func key(for id: AccessKeyID) async throws -> AccessKey? { supposed() }
  }
  static var accounts: Accounts { supposed() }
}

enum OSSPage {
  static var identity: Identity { supposed() }
  static var answerOfTheServer: String { supposed() }
}

enum PoliciesPage {}

enum RemoteSigningPage {
  struct Login {
    func header() async -> String { supposed() }
  }
  static var login: Login { supposed() }
  static var router: Router<AppContext> { supposed() }
  struct AppContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    init(source: Source) { coreContext = .init(source: source) }
  }
  struct UserContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    var user: String { supposed() }
    init(context: AppContext) { coreContext = context.coreContext }
  }
  struct BearerLogin: RouterMiddleware {
    func handle(
      _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
      try await next(request, context)
    }
  }
}

enum ConsolePage {
  static var cloud: LocalCloud { supposed() }
}

enum RunningLocallyPage {
  static var cloud: LocalCloud { supposed() }
}

enum S3Page {}

enum UsingTheClientPage {
  static var lastWeek: Timestamp { supposed() }
  static var client: StorageClient<OSSProvider> { supposed() }
  static var store: StorageClient<OSSProvider> { supposed() }
  static var folder: FilePath { supposed() }
  struct Metrics {
    func count(_ event: AuthEvent) {}
  }
  static var metrics: Metrics { supposed() }
}

enum TestingYourOwnPage {
  static var time: ManualClock { supposed() }
  struct Vault: CredentialProvider {
    init(answering key: AccessKey) {}
    init(sealed: Bool) {}
    init(hanging: Bool) {}
    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
      supposed()
    }
  }
  struct MyTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
      supposed()
    }
  }
  static var signer: OSSSigner { supposed() }
  static var verifier: OSSVerifier { supposed() }
  static var stringSigner: OSSStringToSignSigner { supposed() }
  static func server(_ pending: PendingSignature, _ key: AccessKey) throws -> String { supposed() }
  static var store: InMemoryStore { supposed() }
}

enum IssuingTemporaryKeysPage {
  static var chain: String { supposed() }
  static var privateKey: String { supposed() }
  typealias AppContext = RemoteSigningPage.AppContext
  static var router: Router<AppContext> { supposed() }
  struct User {
    var policy: AccessPolicy { supposed() }
  }
  static var user: User { supposed() }
  static var request: Request {
    get { supposed() }
    set {}
  }
}

enum VerifyingRequestsPage {
  struct AppContext: VerifiedRequestContext {
    var coreContext: CoreRequestContextStorage
    var verifiedRequest: VerifiedRequest?
    init(source: Source) { coreContext = .init(source: source) }
  }
  struct Accounts {
    func key(for id: AccessKeyID) async throws -> AccessKey? { supposed() }
  }
  static var accounts: Accounts { supposed() }
}

enum VerifyingCallbacksPage {
  static var client: StorageClient<OSSProvider> { supposed() }
  static var configuration: LocalCloud.Configuration {
    get { supposed() }
    set {}
  }
}

enum WritingAProviderPage {}

enum AsperaAuthPage {}

enum AsperaTransferPage {
  static var engine: any TransferEngine { supposed() }
  static var node: String { supposed() }
  static var access: CredentialCache<AsperaNodeAccess> { supposed() }
  static var sessions: [TransferSession] { supposed() }
}

enum COSAuthPage {}

enum AsyncHTTPTransportPage {}

enum CredentialSourcesPage {}

enum LocalCloudPage {}

enum OSSAuthPage {}

enum S3AuthPage {}

enum StorageAuthPage {}

enum StorageAuthRedisPage {
  static func provider(of scope: TokenScope) throws -> StaticCredentialProvider<AccessKey> { supposed() }
}

enum StorageAuthServerPage {
  typealias AppContext = VerifyingRequestsPage.AppContext
}

enum StorageAuthTestingPage {}

enum StorageClientPage {}

enum StorageOperationsPage {
  static var client: StorageClient<OSSProvider> { supposed() }
}

enum ServicesPage {
  static var cache: CredentialCache<AccessKey> { supposed() }
  static var queue: TransferQueue { supposed() }
  static var application: any Service { supposed() }
}

enum StorageClientTestingPage {}

enum StorageConfigurationPage {}

enum StorageDiagnosisPage {
  static var response: HTTPResponse { supposed() }
  static var body: [UInt8] { supposed() }
}
