// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CloudCredentials
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageAuthServer
internal import StorageClient
internal import StorageDiagnosis

/// The cloud `oss` of the command line: Alibaba Cloud OSS.
struct OSSCloud: Cloud {
  let name = "oss"

  func owns(host: String) -> Bool { host.hasByteSuffix(".aliyuncs.com") }

  func region(ofHost host: String) -> String? {
    guard let label = host.parts(between: ".").dropLast(2).last, let region = label.removingBytePrefix("oss-"),
      !region.hasBytePrefix("accelerate")
    else { return nil }
    return String(region.removingByteSuffix("-internal") ?? region)
  }

  func signs(_ authorization: String) -> Bool { authorization.hasBytePrefix("OSS") }

  // MARK: Credentials

  private static var slots: [(name: SourceName, slot: WritableKeyPath<AlibabaCredentials, AlibabaCredentials.Source>)] {
    [
      ("oss-environment", \.ossEnvironment), ("environment", \.environment), ("pod-role", \.podRole),
      ("cli-profile", \.cliProfile), ("shared-profile", \.sharedProfile), ("ossutil", \.ossutil),
      ("oss-profile", \.ossProfile), ("metadata", \.metadata), ("credentials-uri", \.credentialsURI),
    ]
  }

  var sources: [SourceName] { Self.slots.map(\.name) }

  func chain(on machine: ProviderContext, where includes: (SourceName) -> Bool) -> CredentialChain<AccessKey> {
    var sources = AlibabaCredentials(machine)
    for (name, slot) in Self.slots where !includes(name) { sources[keyPath: slot] = nil }
    return sources.chain
  }

  // MARK: Requests

  func store(
    _ bucket: String, _ options: BucketOptions, _ configuration: StorageClientConfiguration
  ) throws -> any BucketStore {
    let region = try options.region(fromEnvironment: ["OSS_REGION"], local: "cn-hangzhou")
    return StorageClient(
      .oss(bucket: bucket, region: region, signature: options.signature.version, endpoint: options.endpoint),
      credentials: try options.credentials.cache(for: self), configuration: configuration,
      transport: try options.credentials.network.transport)
  }

  func signer(for host: String, _ options: SigningOptions) -> any SplitSigner<AccessKey> & Presigner<AccessKey> {
    OSSSigner(
      options.signature.version, bucket: options.bucket, region: options.region ?? region(ofHost: host) ?? "",
      style: options.bucket == nil ? nil : .customDomain, allowsAmbiguousV1: options.allowAmbiguousV1)
  }

  func verifier(of request: HTTPRequest, _ options: RequestOptions, isStrict: Bool) -> any SignatureVerifier {
    OSSVerifier(
      region: options.region ?? region(ofHost: request.hostName), style: options.style, bucket: options.bucket,
      acceptsAmbiguousV1: true, limits: .asServices)
  }

  func service(of request: HTTPRequest, _ options: RequestOptions) -> SignedService {
    .oss(bucket: options.bucket, region: options.region ?? region(ofHost: request.hostName))
  }

  let signedTextsEndWithLineFeed = false

  // MARK: Token server

  let tokenPath = "/distribute-token.json"

  var tokenShape: TokenShape { .oss }

  func check(role: String?) throws {
    guard role?.hasBytePrefix("acs:ram::") ?? false else {
      throw ValidationError("Name the role with --role acs:ram::<account>:role/<name>.")
    }
  }

  func lifetimes(role: String?) -> ClosedRange<Int> { 900...43_200 }

  let policiesNeedRegion = false

  func document(_ policy: AccessPolicy, region: String) throws -> String { try policy.ramDocument() }

  func source(_ order: KeyOrder, keys: CredentialCache<AccessKey>) -> any CredentialProvider<AccessKey> {
    AlibabaAssumeRoleProvider(
      roleARN: order.role ?? "", sessionName: order.sessionName, credentials: keys, duration: order.lifetime,
      policy: order.policy, endpoint: order.tokenService.map { .url($0) } ?? .global,
      transport: order.transport)
  }

  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount {
    guard endpoint == nil else { throw ValidationError("Omit --endpoint for oss, which signs no hosts.") }
    return SigningAccount(OSSStringSigner(region: region), credentials: keys)
  }
}
