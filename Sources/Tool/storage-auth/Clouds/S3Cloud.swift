// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuthServer
internal import StorageClient

/// The cloud `s3` of the command line: Amazon S3 and services with the same API.
struct S3Cloud: Cloud {
  var storageService: ServiceDescription { .s3 }

  /// Returns the label after `s3`, `s3-fips` or `dualstack`, or `us-east-1` for the global host.
  func region(ofHost host: String) -> String? {
    let name = host.removingByteSuffix(".cn") ?? host[...]
    guard let subdomain = name.removingByteSuffix(storageService.domains[0]) else { return nil }
    let labels = String(subdomain).parts(between: ".")
    guard let serviceIndex = labels.lastIndex(where: { $0 == "s3" || $0 == "s3-fips" }) else { return nil }
    let regionLabels = labels[(serviceIndex + 1)...].drop { $0 == "dualstack" }
    return regionLabels.first.map(String.init) ?? "us-east-1"
  }

  func hasBucketInPath(host: String) -> Bool {
    let label = host.bytes(before: ".")
    return storageService.owns(host: host) && (label == "s3" || label.hasBytePrefix("s3-"))
  }

  let keyVariables = (id: "AWS_ACCESS_KEY_ID", secret: "AWS_SECRET_ACCESS_KEY")

  var sources: NamedSources {
    NamedSources(
      AmazonCredentials(), chain: \.chain,
      [
        "environment": \.environment, "profile": \.profile, "web-identity": \.webIdentity,
        "container": \.container, "metadata": \.metadata,
      ])
  }

  func provider(
    of bucket: String, at location: ServiceLocation, style: AddressingStyle?, _ signature: SignatureVersionArgument
  ) -> any PresigningProvider<AccessKey> {
    S3Provider(bucket: bucket, region: location.region, endpoint: location.endpoint, style: style)
  }

  func location(region: String?, endpoint: String?) throws -> ServiceLocation {
    let settings = try AmazonSettings(.system)
    return try ServiceLocation(
      region: region, endpoint: endpoint ?? settings.endpointURL, variables: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      fileRegion: settings.region, localRegion: ServeCommand.defaultS3Region)
  }

  func signer(region: String?, _ address: BucketAddress, _ options: SigningOptions) throws -> CloudSigner {
    guard let region else { throw ValidationError("Name the region with --region.") }
    return S3Signer(region: region, bucket: address.bucket, style: address.style)
  }

  func verifier(region: String?, _ address: BucketAddress, isStrict: Bool) -> any SignatureVerifier {
    S3Verifier(region: region, style: address.style, bucket: address.bucket, limits: .asServices)
  }

  func signedService(region: String?, _ address: BucketAddress) -> SignedService {
    .s3(bucket: address.bucket, region: region, style: address.style)
  }

  let tokenPath = "/credentials.json"
  var tokenFormat: TokenFormat { .s3 }

  func validate(role: String?) throws {
    guard role?.hasBytePrefix("arn:") ?? false else {
      throw ValidationError("Name the role with --role arn:aws:iam::<account>:role/<name>.")
    }
  }

  func isBucket(_ name: String) -> Bool { isBucketNameWithOrWithoutDots(name) }

  /// Returns the document with the role's partition if that is Amazon's; compatible services have roles of others.
  func policyDocument(_ policy: AccessPolicy, role: String?, region: String) throws -> String {
    let partition = role?.removingBytePrefix("arn:")?.bytes(before: ":") ?? ""
    return try policy.iamDocument(partition: partition.hasBytePrefix("aws") ? String(partition) : "aws")
  }

  func keyIssuer(for parameters: KeyParameters, keys: CredentialCache<AccessKey>) -> KeyIssuer {
    let endpoint =
      parameters.tokenService.map { AmazonSTSEndpoint.url($0, region: parameters.region ?? "us-east-1") }
      ?? parameters.region.map { .region($0) } ?? .global
    return AmazonAssumeRoleProvider(
      roleARN: parameters.role ?? "", sessionName: parameters.sessionName, credentials: keys,
      duration: parameters.lifetime, policy: parameters.policy, endpoint: endpoint)
  }

  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount {
    let endpoint = try endpoint.map { try ServiceEndpoint.s3($0) } ?? .s3(region: region)
    return SigningAccount(S3StringToSignSigner(region: region, endpoint: endpoint), credentials: keys)
  }
}
