// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuthServer
internal import StorageClient

struct OSSCloud: Cloud {
  var storageService: ServiceDescription { .oss }

  func region(ofHost host: String) -> String? {
    guard let label = host.parts(between: ".").dropLast(2).last, let region = label.removingBytePrefix("oss-"),
      !region.hasBytePrefix("accelerate")
    else { return nil }
    return String(region.removingByteSuffix("-internal") ?? region)
  }

  let keyVariables = (id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET")

  var sources: NamedSources {
    NamedSources(
      AlibabaCredentials(), chain: \.chain,
      [
        "oss-environment": \.ossEnvironment, "environment": \.environment, "pod-role": \.podRole,
        "cli-profile": \.cliProfile, "shared-profile": \.sharedProfile, "ossutil": \.ossutil,
        "oss-profile": \.ossProfile, "metadata": \.metadata, "credentials-uri": \.credentialsURI,
      ])
  }

  func provider(
    of bucket: String, at location: ServiceLocation, style: AddressingStyle?, _ signature: SignatureVersionArgument
  ) -> any PresigningProvider<AccessKey> {
    OSSProvider(
      bucket: bucket, region: location.region, signature: signature.version, endpoint: location.endpoint, style: style)
  }

  func location(region: String?, endpoint: String?) throws -> ServiceLocation {
    try ServiceLocation(region: region, endpoint: endpoint, variables: ["OSS_REGION"], localRegion: "cn-hangzhou")
  }

  func signer(region: String?, _ address: BucketAddress, _ options: SigningOptions) throws -> CloudSigner {
    guard region != nil || options.signature == .v1 else { throw ValidationError("Name the region with --region.") }
    return OSSSigner(
      options.signature.version, bucket: address.bucket, region: region ?? "", style: address.style,
      allowsAmbiguousV1: options.allowAmbiguousV1)
  }

  func verifier(region: String?, _ address: BucketAddress, isStrict: Bool) -> any SignatureVerifier {
    OSSVerifier(
      region: region, style: address.style, bucket: address.bucket, acceptsAmbiguousV1: true, limits: .asServices)
  }

  func signedService(region: String?, _ address: BucketAddress) -> SignedService {
    .oss(bucket: address.bucket, region: region, style: address.style)
  }

  let tokenPath = "/distribute-token.json"
  var tokenFormat: TokenFormat { .oss }

  func validate(role: String?) throws {
    guard role?.hasBytePrefix("acs:ram::") ?? false else {
      throw ValidationError("Name the role with --role acs:ram::<account>:role/<name>.")
    }
  }

  func policyDocument(_ policy: AccessPolicy, role: String?, region: String) throws -> String {
    try policy.ramDocument()
  }

  func keyIssuer(for parameters: KeyParameters, keys: CredentialCache<AccessKey>) -> KeyIssuer {
    AlibabaAssumeRoleProvider(
      roleARN: parameters.role ?? "", sessionName: parameters.sessionName, credentials: keys,
      duration: parameters.lifetime, policy: parameters.policy,
      endpoint: parameters.tokenService.map { .url($0) } ?? .global)
  }

  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount {
    guard endpoint == nil else { throw ValidationError("Omit --endpoint for oss, which signs no hosts.") }
    return SigningAccount(OSSStringToSignSigner(region: region), credentials: keys)
  }
}
