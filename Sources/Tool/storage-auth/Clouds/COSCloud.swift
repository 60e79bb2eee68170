// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuthServer
internal import StorageClient

struct COSCloud: Cloud {
  var storageService: ServiceDescription { .cos }

  // A signature of COS contains no region.
  func region(ofHost host: String) -> String? { nil }

  let keyVariables = (id: "TENCENTCLOUD_SECRET_ID", secret: "TENCENTCLOUD_SECRET_KEY")

  var sources: NamedSources {
    NamedSources(
      TencentCredentials(), chain: \.chain,
      [
        "environment": \.environment, "profile": \.profile, "cli-profile": \.cliProfile, "coscmd": \.coscmd,
        "coscli": \.coscli, "metadata": \.metadata, "pod-role": \.podRole,
      ])
  }

  func provider(
    of bucket: String, at location: ServiceLocation, style: AddressingStyle?, _ signature: SignatureVersionArgument
  ) throws -> any PresigningProvider<AccessKey> {
    let bucketParts = bucket.parts(between: "-")
    let hasAppID = bucketParts.count > 1 && bucketParts.last.flatMap { Int64(digits: $0) } != nil
    guard location.endpoint != nil || bucket.isEmpty || hasAppID else {
      throw ValidationError("A COS bucket ends in its APPID: \(bucket.onOneLine)-1250000000.")
    }
    return COSProvider(bucket: bucket, region: location.region, endpoint: location.endpoint, style: style)
  }

  func location(region: String?, endpoint: String?) throws -> ServiceLocation {
    try ServiceLocation(region: region, endpoint: endpoint, variables: ["COS_REGION"], localRegion: "ap-guangzhou")
  }

  func signer(region: String?, _ address: BucketAddress, _ options: SigningOptions) -> CloudSigner { COSSigner() }

  func verifier(region: String?, _ address: BucketAddress, isStrict: Bool) -> any SignatureVerifier {
    COSVerifier(
      mode: isStrict ? .strict : .compatible, style: address.style, bucket: address.bucket, limits: .asServices)
  }

  func signedService(region: String?, _ address: BucketAddress) -> SignedService { .cos(style: address.style) }

  let signedTextsEndWithLineFeed = true
  let tokenPath = "/cos/credentials"
  var tokenFormat: TokenFormat { .cos }

  func validate(role: String?) throws {
    guard role?.hasBytePrefix("qcs::cam::") ?? true else {
      throw ValidationError("Pass the role as qcs::cam::uin/<account>:roleName/<name>, or omit it.")
    }
  }

  func lifetimes(role: String?) -> ClosedRange<Int> { role == nil ? 1...129_600 : 1...43_200 }

  let policiesNeedRegion = true

  func policyDocument(_ policy: AccessPolicy, role: String?, region: String) throws -> String {
    try policy.camDocument(region: region)
  }

  func keyIssuer(for parameters: KeyParameters, keys: CredentialCache<AccessKey>) -> KeyIssuer {
    let endpoint = parameters.tokenService.map { TencentSTSEndpoint.url($0) } ?? .standard
    if let role = parameters.role {
      return TencentAssumeRoleProvider(
        roleARN: role, sessionName: parameters.sessionName, credentials: keys, duration: parameters.lifetime,
        policy: parameters.policy, endpoint: endpoint)
    }
    return TencentFederationProvider(
      name: parameters.sessionName, policy: parameters.policy, credentials: keys, duration: parameters.lifetime,
      endpoint: endpoint)
  }

  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount {
    let endpoint = try endpoint.map { try ServiceEndpoint($0) } ?? .cos(region: region)
    return SigningAccount(COSStringToSignSigner(endpoint: endpoint), credentials: keys)
  }
}
