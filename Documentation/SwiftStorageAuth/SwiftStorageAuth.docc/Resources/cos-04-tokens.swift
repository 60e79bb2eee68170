import COSAuth
import CredentialSources
import Logging
import StorageAuth
import StorageAuthServer
import StorageClient

/// Creates the service that requests a key with the policy of each user from `GetFederationToken`.
func tokenService(owner: AccessKey, sts: String) -> TokenService {
  let keys = StaticCredentialProvider(owner)
  let logger = Logger(label: "KeyServer")
  return TokenService(audit: TokenAudit.log(to: logger), in: .system) { scope in
    let policy = try scope.policy.camDocument(region: "ap-guangzhou")
    logger.info("Policy of \(scope.name): \(policy)")
    return TencentFederationProvider(
      name: scope.name, policy: policy, credentials: keys, duration: scope.lifetime, endpoint: .url(sts))
  }
}
