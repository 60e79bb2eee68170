import Hummingbird
import StorageAuth
import StorageAuthServer

/// The context of a request, with the result of the verification.
struct ServiceContext: VerifiedRequestContext {
  var coreContext: CoreRequestContextStorage
  var verifiedRequest: VerifiedRequest?

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// The context of a request behind the middleware: the account that signed it, and the file that it is about.
struct FileContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let account: AccessKeyID
  let file: String

  init(context: ServiceContext) throws {
    guard let verified = context.verifiedRequest else { throw HTTPError(.forbidden) }
    guard verified.target.bucket == "files", let key = verified.target.key else { throw HTTPError(.notFound) }
    coreContext = context.coreContext
    account = verified.accessKeyID
    file = key.string
  }
}
