internal import ArgumentParser
internal import CloudCredentials
internal import StorageAuth

/// A source of keys on the command line.
enum SourceName: String, ExpressibleByArgument, CaseIterable {
  case ossEnvironment = "oss-environment"
  case environment
  case podRole = "pod-role"
  case profile
  case cliProfile = "cli-profile"
  case sharedProfile = "shared-profile"
  case ossutil
  case ossProfile = "oss-profile"
  case coscmd
  case coscli
  case metadata
  case credentialsURI = "credentials-uri"

  /// The slots of Alibaba Cloud, in their order.
  static var alibaba: [(name: SourceName, slot: WritableKeyPath<AlibabaCredentials, AlibabaCredentials.Source>)] {
    [
      (.ossEnvironment, \.ossEnvironment), (.environment, \.environment), (.podRole, \.podRole),
      (.cliProfile, \.cliProfile), (.sharedProfile, \.sharedProfile), (.ossutil, \.ossutil),
      (.ossProfile, \.ossProfile), (.metadata, \.metadata), (.credentialsURI, \.credentialsURI),
    ]
  }

  /// The slots of Tencent Cloud, in their order.
  static var tencent: [(name: SourceName, slot: WritableKeyPath<TencentCredentials, TencentCredentials.Source>)] {
    [
      (.environment, \.environment), (.profile, \.profile), (.cliProfile, \.cliProfile), (.coscmd, \.coscmd),
      (.coscli, \.coscli), (.metadata, \.metadata), (.podRole, \.podRole),
    ]
  }

  /// The sources of a cloud, in the order in which they are asked.
  static func all(of provider: ProviderName) -> [SourceName] {
    switch provider {
    case .oss: alibaba.map(\.name)
    case .cos: tencent.map(\.name)
    }
  }
}
