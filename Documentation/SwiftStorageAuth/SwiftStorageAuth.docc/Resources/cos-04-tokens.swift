import COSAuth
import CredentialSources
import StorageAuth
import StorageAuthServer
import StorageClient

/// Creates the service that requests a key with the policy of each user from `GetFederationToken`.
func tokenService(owner: AccessKey, sts: String) -> TokenService {
  let keys = StaticCredentialProvider(owner)
  return TokenService(audit: { print($0) }, in: .system) { scope in
    let policy = try scope.policy.camDocument(region: "ap-guangzhou")
    print("Policy of \(scope.name): \(policy)")
    return TencentFederationProvider(
      name: scope.name, policy: policy, credentials: keys, duration: scope.lifetime, endpoint: .url(sts))
  }
}
