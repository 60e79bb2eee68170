import Hummingbird
import StorageAuth
import StorageAuthServer

/// The context of a request, with the result of the verification.
struct ServiceContext: VerifiedRequestContext {
  var coreContext: CoreRequestContextStorage
  var verifiedRequest: VerifiedRequest?

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}
