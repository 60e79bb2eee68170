// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPTransport
public import Configuration
public import StorageAuth

@available(macOS 15, *)
extension HTTPTimeouts {
  /// Creates time limits from settings; the keys are those of ``ConfigurationKeys/timeouts``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value is malformed.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let defaults = HTTPTimeouts()
    self.init(
      connect: try await settings.duration("connect") ?? defaults.connect,
      idle: try await settings.duration("idle") ?? defaults.idle, request: try await settings.duration("request"))
  }
}

@available(macOS 15, *)
extension ProxyConfiguration {
  /// Creates a configuration of proxies from settings; the keys are those of ``ConfigurationKeys/proxy``.
  ///
  /// - Parameter reader: The reader of the settings. The URLs are read as secrets, because they can contain a password.
  /// - Throws: A ``ConfigurationError`` that names the setting, without its value, if it cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    var proxies = ProxyConfiguration.direct
    if try await settings.boolean("usesEnvironment") ?? false {
      proxies = try settings.attributing(errorsTo: "usesEnvironment", .environment)
    }
    for (key, proxy) in [("http", \ProxyConfiguration.http), ("https", \.https)] {
      guard let url = try await settings.secret(key) else { continue }
      proxies[keyPath: proxy] = try settings.attributing(errorsTo: key, ProxyServer(url.reveal()))
    }
    if let hosts = try await settings.list("exclusions") {
      proxies.exclusions = try settings.attributing(
        errorsTo: "exclusions", ProxyExclusions(hosts.joined(separator: ",")))
    }
    self = proxies
  }
}

@available(macOS 15, *)
extension TrustedRoots {
  /// Creates the trusted authorities from settings; the keys are those of ``ConfigurationKeys/authorities``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value is malformed.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let includesSystem = try await settings.boolean("includesSystem") ?? false
    if let path = try await settings.text("file") {
      self = includesSystem ? .systemAndFile(path) : .file(path)
    } else {
      self = .system
    }
  }
}

@available(macOS 15, *)
extension AsyncHTTPClientTransport {
  /// Creates a transport with separate connections; the keys are those of ``ConfigurationKeys/transport``.
  ///
  /// ```swift
  /// let transport = try await AsyncHTTPClientTransport(reading: reader.scoped(to: "http"))
  /// ```
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value or a file that it names cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let timeouts = try await HTTPTimeouts(reading: reader.scoped(to: "timeouts"))
    let proxy = try await ProxyConfiguration(reading: reader.scoped(to: "proxy"))
    let authorities = try await TrustedRoots(reading: reader.scoped(to: "authorities"))
    // The default is that of `AsyncHTTPClientTransport`, and the maximum only prevents mistakes.
    let connections = try await settings.integer("connectionsPerHost", in: 1...10_000) ?? 64
    // Only the file of the authorities is read here; the errors of the other settings are thrown above.
    self = try settings.attributing(
      errorsTo: "authorities.file",
      AsyncHTTPClientTransport(
        timeouts: timeouts, connectionsPerHost: connections, proxy: proxy, trustedRoots: authorities))
  }
}
