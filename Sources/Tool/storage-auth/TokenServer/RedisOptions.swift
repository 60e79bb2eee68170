// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuthRedis
internal import StorageAuthServer

struct RedisOptions: ParsableArguments {
  private static let passwordVariable = "STORAGE_AUTH_REDIS_PASSWORD"

  @Option(
    help: .text(
      "The Redis server that all token servers behind one address share, for rates and issued keys: "
        + "redis://[user:password@]host[:port][/database], rediss://… for TLS, or unix:///path. Without it each server "
        + "counts and asks by itself.", value: "url"))
  var redis: String?

  @Option(
    help: .text(
      "The file with the password of Redis; by default that of \(passwordVariable)_FILE, or the variable "
        + "\(passwordVariable), if one is set.", value: "file"))
  var redisPasswordFile: String?

  @Option(
    help: .text(
      "The PEM file with the certificate authorities for rediss://; those of the system by default.",
      value: "file"))
  var redisCa: String?

  @Option(help: "The beginning of the keys in Redis.") var redisPrefix = "storage-auth"

  @Flag(help: "Redis writes each change to its disk before it confirms the change, so that restarts lose no data.")
  var redisIsPersistent = false

  @Option(
    help: .text(
      "While Redis is away: refuse requests, or go on with rates and keys of this server alone (local).",
      value: "refuse|local"))
  var withoutRedis: RedisOutageArgument = .refuse

  func validate() throws {
    guard let redis else {
      guard redisPasswordFile == nil, redisCa == nil else {
        throw ValidationError("--redis-password-file and --redis-ca have an effect only with --redis.")
      }
      return
    }
    let configuration: RedisConfiguration
    do {
      configuration = try RedisConfiguration(url: redis)
    } catch {
      throw ValidationError("\(error)")
    }
    guard redisCa == nil || configuration.usesTLS else {
      throw ValidationError("--redis-ca has an effect only with a rediss:// URL.")
    }
  }

  /// Returns the stores; servers that differ in one of the `service` values, such as the role, share no keys.
  func makeStores(of kind: String, for service: [String] = []) throws -> ServerStores {
    guard let redis else { return ServerStores() }
    var configuration = try RedisConfiguration(url: redis)
    configuration.authorities = redisCa
    let password = try password(in: ProcessInfo.processInfo.environment)
    if let password { configuration.password = Secret(password) }
    let pool = RedisPool(configuration)
    let fallback: RedisFallback = withoutRedis == .local ? .local : .refuse
    return ServerStores(
      rates: RedisRateStore(
        pool, prefix: "\(redisPrefix):\(kind)", durability: redisIsPersistent ? .persistent : .volatile,
        whenAway: fallback),
      keys: RedisKeyStore(pool, prefix: ([redisPrefix] + service).joined(separator: ":"), whenAway: fallback),
      checks: [HealthCheck("redis") { await pool.isReachable() }])
  }

  /// Returns the password of the file that the option or the environment names, or of the environment itself.
  private func password(in environment: [String: String]) throws -> String? {
    let value = environment[Self.passwordVariable].flatMap { $0.isEmpty ? nil : $0 }
    let variableFile = environment["\(Self.passwordVariable)_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    if redisPasswordFile == nil, value != nil, variableFile != nil {
      throw ValidationError("Unset \(Self.passwordVariable) or \(Self.passwordVariable)_FILE: both are set.")
    }
    guard let path = redisPasswordFile ?? variableFile else { return value }
    return try SecretFile(path).text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

enum RedisOutageArgument: String, ExpressibleByArgument { case refuse, local }

/// The stores of a token server: by default those in its own memory.
struct ServerStores {
  var rates: any RateStore = MemoryRateStore()
  var keys: any IssuedKeyStore = PassThroughKeyStore()
  var checks: [HealthCheck] = []
}
