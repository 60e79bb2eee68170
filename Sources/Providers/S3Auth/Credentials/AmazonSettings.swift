// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// The region and the endpoints of Amazon's or compatible services, from the environment and the tools' shared files.
///
/// ```swift
/// let settings = try AmazonSettings(context)
/// let region = settings.region ?? "us-east-1"
/// ```
public struct AmazonSettings: Sendable, Hashable {
  /// The region ID in `AWS_REGION`, `AWS_DEFAULT_REGION` or the profile's `region`, in this order, or `nil`.
  public let region: String?

  /// The URL of S3 in `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `endpoint_url` for `s3` in the profile's `services`,
  /// or the profile's `endpoint_url`, in this order, or `nil`.
  ///
  /// `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` or else `ignore_configured_endpoint_urls` in the profile disables these
  /// settings. Page: "Service-specific endpoints" in the AWS SDKs and Tools Reference Guide.
  public let endpointURL: String?

  /// The endpoint at the configured URL of STS, or the endpoint of the region.
  let stsEndpoint: AmazonSTSEndpoint

  /// Creates settings from the environment and the shared files.
  ///
  /// - Parameters:
  ///   - context: The context that gives access to the environment and files.
  ///   - profile: The profile name. If `nil`, the profile that the environment specifies, or `default`.
  /// - Throws: A `CredentialError` for an unreadable file, an unknown specified profile, or an invalid region or URL.
  public init(_ context: ProviderContext, profile: String? = nil) throws(CredentialError) {
    let files = try AmazonFiles(in: context)
    let chosenName = profile ?? AmazonFiles.chosenName(in: context)
    let foundProfile = try files.profile(chosenName ?? "default")
    if foundProfile == nil, let chosenName { throw files.unknownProfile(chosenName, isNamed: true) }
    try self.init(context, files: files, profile: foundProfile)
  }

  init(_ context: ProviderContext, files: AmazonFiles, profile: AmazonProfile?) throws(CredentialError) {
    region = try Self.configuredRegion(in: context, or: profile)
    endpointURL = try Self.configuredURL(of: "s3", in: context, files: files, profile: profile)
    stsEndpoint = try Self.configuredSTSEndpoint(in: context, files: files, profile: profile)
  }

  /// Returns the endpoint of STS without reading the URL of S3, so that an invalid URL of S3 does not matter.
  static func configuredSTSEndpoint(
    in context: ProviderContext, files: AmazonFiles, profile: AmazonProfile?
  ) throws(CredentialError) -> AmazonSTSEndpoint {
    let region = try configuredRegion(in: context, or: profile)
    guard let url = try configuredURL(of: "sts", in: context, files: files, profile: profile) else {
      return region.map { .region($0) } ?? .global
    }
    return .url(url, region: region ?? AmazonSTSEndpoint.global.signingRegion)
  }

  private static func configuredRegion(
    in context: ProviderContext, or profile: AmazonProfile?
  ) throws(CredentialError) -> String? {
    let remedy = "Write it like eu-central-1."
    for name in ["AWS_REGION", "AWS_DEFAULT_REGION"] {
      guard let region = context.variable(name) else { continue }
      guard region.isAmazonScopePart else {
        throw environment.error(.failed, "sets \(name) to an invalid region", remedy: remedy)
      }
      return region
    }
    guard let settings = profile?.section(with: "region")?.settings else { return nil }
    let region = try settings.required("region")
    guard region.isAmazonScopePart else { throw settings.location.malformed("has an invalid “region”", remedy: remedy) }
    return region
  }

  /// Returns the URL of a service, from the first of its places in the order that ``endpointURL`` lists.
  private static func configuredURL(
    of service: String, in context: ProviderContext, files: AmazonFiles, profile: AmazonProfile?
  ) throws(CredentialError) -> String? {
    if try context.flag("ignore_configured_endpoint_urls", or: profile) { return nil }
    for name in ["AWS_ENDPOINT_URL_\(service.uppercased())", "AWS_ENDPOINT_URL"] {
      if let url = context.variable(name) { return try checked(url, from: name, at: environment) }
    }
    if let section = profile?.section(with: "services"), let name = try section.settings.text("services") {
      guard let services = try files.services(name) else {
        throw section.settings.location.malformed("names the section “services” “\(name)”, which does not exist")
      }
      let key = "\(service).endpoint_url"
      if let url = try services.text(key) { return try checked(url, from: key, at: services.location) }
    }
    guard let settings = profile?.section(with: "endpoint_url")?.settings else { return nil }
    return try checked(settings.required("endpoint_url"), from: "endpoint_url", at: settings.location)
  }

  private static func checked(
    _ url: String, from settingName: String, at location: SettingLocation
  ) throws(CredentialError) -> String {
    guard ServiceURL(url) != nil else {
      throw location.error(
        .failed, "has a value in \(settingName) that is not a URL",
        remedy: "Write it like https://minio.example.com:9000.")
    }
    return url
  }

  private static let environment = SettingLocation(
    source: "Amazon settings", name: "The environment", remedy: "Correct it, or unset it.")
}

extension ProviderContext {
  /// Returns a Boolean setting of a profile, which the variable of the same name with the prefix `AWS_` overrides.
  func flag(_ setting: String, or profile: AmazonProfile?) throws(CredentialError) -> Bool {
    let variable = "AWS_\(setting.uppercased())"
    guard self.variable(variable) == nil else { return isTrue(variable) }
    return try profile?.section(with: setting)?.settings.flag(setting) ?? false
  }

  /// Returns a string setting of a profile, which the variable of the same name with the prefix `AWS_` overrides.
  func text(_ setting: String, or profile: AmazonProfile?) throws(CredentialError) -> String? {
    if let value = variable("AWS_\(setting.uppercased())") { return value }
    return try profile?.text(setting)
  }
}
