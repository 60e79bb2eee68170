import CredentialSources
import Logging
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient

/// Creates the service that requests a key with the policy of each caller.
func tokenService(owner: AccessKey, sts: String) -> TokenService {
  let keys = StaticCredentialProvider(owner)
  return TokenService(audit: TokenAudit.log(to: Logger(label: "KeyServer")), in: .system) { scope in
    AlibabaAssumeRoleProvider(
      roleARN: "acs:ram::1250000000:role/localcloud", sessionName: scope.name, credentials: keys,
      duration: scope.lifetime, policy: try scope.policy.ramDocument(), endpoint: .url(sts))
  }
}
