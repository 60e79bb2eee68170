// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// The options for the address, the names and the certificate of the storage services.
struct ListenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The IP address at which OSS, COS and S3 listen. If other machines reach it, the accounts must be given, and \
      --tls-cert or --plain-http. Token services, metadata and Aspera stay on this machine.
      """, valueName: "address"))
  var listen = "127.0.0.1"

  @Flag(help: "Let other machines reach OSS, COS and S3 without encryption, in a network that you trust.")
  var plainHttp = false

  @Option(
    help: ArgumentHelp(
      "A domain of OSS, COS and S3, such as oss.test, with buckets in the path or before it; repeatable.",
      valueName: "domain"))
  var domain: [String] = []

  @Option(
    help: ArgumentHelp(
      "The PEM file with the certificate of OSS, COS and S3, which then speak HTTPS, and those that issued it.",
      valueName: "file"))
  var tlsCert: String?

  @Option(
    help: ArgumentHelp("The PEM file with the private key of --tls-cert, without a passphrase.", valueName: "file"))
  var tlsKey: String?

  /// Whether only programs of this machine reach the address.
  var isLocal: Bool { LoopbackHost.contains(listen) }

  func validate() throws {
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("Name both the certificate and its private key, with --tls-cert and --tls-key.")
    }
    if !isLocal, tlsCert == nil, !plainHttp {
      throw ValidationError(
        "Other machines reach \(listen.onOneLine): give --tls-cert and --tls-key, or --plain-http in a network that you trust."
      )
    }
  }

  func apply(to configuration: inout LocalCloud.Configuration) throws {
    configuration.address = listen
    configuration.allowsPlainHTTP = plainHttp
    configuration.domains = domain
    if let tlsCert, let tlsKey {
      configuration.certificate = try CertificateFiles(certificate: tlsCert, key: tlsKey).certificate
    }
  }
}
