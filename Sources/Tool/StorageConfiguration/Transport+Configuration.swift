// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPTransport
public import Configuration
internal import CredentialSources
public import StorageAuth

extension HTTPTimeouts {
  /// Creates time limits from settings; the keys are those of ``ConfigurationKeys/timeouts``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value has another form.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let standard = HTTPTimeouts()
    self.init(
      connect: try await settings.duration("connect") ?? standard.connect,
      idle: try await settings.duration("idle") ?? standard.idle, request: try await settings.duration("request"))
  }
}

extension ProxyConfiguration {
  /// Creates a configuration of proxies from settings; the keys are those of ``ConfigurationKeys/proxy``.
  ///
  /// - Parameter reader: The reader of the settings. The URLs are read as secrets, because they can contain a password.
  /// - Throws: A ``ConfigurationError`` that names the setting, without its value, if it cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    var proxies = ProxyConfiguration.direct
    if try await settings.boolean("usesEnvironment") ?? false {
      proxies = try settings.checked("usesEnvironment") { () throws(TransportError) in try .environment }
    }
    if let url = try await settings.secret("http") {
      proxies.http = try settings.checked("http") { () throws(TransportError) in try ProxyServer(url.reveal()) }
    }
    if let url = try await settings.secret("https") {
      proxies.https = try settings.checked("https") { () throws(TransportError) in try ProxyServer(url.reveal()) }
    }
    if let hosts = try await settings.list("exclusions") {
      proxies.exclusions = try settings.checked("exclusions") { () throws(TransportError) in
        try ProxyExclusions(hosts.joined(separator: ","))
      }
    }
    self = proxies
  }
}

extension TrustedRoots {
  /// Creates the trusted authorities from settings; the keys are those of ``ConfigurationKeys/authorities``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value has another form.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let includesSystem = try await settings.boolean("includesSystem") ?? false
    guard let path = try await settings.text("file") else {
      self = .system
      return
    }
    self = includesSystem ? .systemAndFile(path) : .file(path)
  }
}

extension AsyncHTTPClientTransport {
  /// Creates a transport with separate connections from settings; the keys are those of
  /// ``ConfigurationKeys/transport``.
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
    let roots = try await TrustedRoots(reading: reader.scoped(to: "authorities"))
    let connections = try await settings.integer("connectionsPerHost", in: 1...10_000) ?? 64
    self = try settings.checked("authorities.file") { () throws(TransportError) in
      try AsyncHTTPClientTransport(
        timeouts: timeouts, connectionsPerHost: connections, proxy: proxy, trustedRoots: roots)
    }
  }
}

extension SettingReader {
  /// Returns the result of a function, with the error of the transport as one that names a setting.
  func checked<Value>(_ key: String, _ make: () throws(TransportError) -> Value) throws(ConfigurationError) -> Value {
    do throws(TransportError) {
      return try make()
    } catch {
      throw invalid(key, "cannot be used. \(error.message)", error.remedy)
    }
  }
}
