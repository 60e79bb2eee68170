// swift-tools-version: 6.3
// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Every target is built to the same rules: Swift 6 mode, the upcoming features that make the visibility of imports,
/// existentials and isolation explicit, and no warning that is let through.
let testRules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// What ships is built with strict memory safety as well; XCTest is not annotated for it.
let rules = testRules + [.strictMemorySafety()]

/// The modules in `Sources` from the bottom up, each with what it may import.
///
/// A module may import only those of its line, which are above it. ArchitectureTests compares the sources with these
/// lines, and ArchitecturePageTests the graph and the table in `Documentation/Architecture.md`.
let modules: KeyValuePairs<String, [String]> = [
  "StorageCrypto": ["CLibcrypto", "CCommonCrypto", "CCarryless"],
  "StorageKeys": ["StorageCrypto", "CLibcrypto"],
  "StorageCompression": ["CZlib"],
  "StorageJSON": [],
  "StorageXML": [],
  "StorageAuth": ["StorageCrypto", "StorageJSON", "HTTPTypes"],
  "OSSAuth": ["StorageAuth", "StorageCrypto", "StorageJSON", "HTTPTypes"],
  "COSAuth": ["StorageAuth", "StorageCrypto", "StorageJSON", "HTTPTypes"],
  "S3Auth": ["StorageAuth", "StorageCrypto", "HTTPTypes"],
  "CloudCredentials": ["StorageAuth", "StorageCrypto", "StorageJSON", "StorageXML", "HTTPTypes"],
  "AsperaAuth": [
    "CloudCredentials", "StorageAuth", "StorageCompression", "StorageCrypto", "StorageJSON", "StorageKeys",
    "HTTPTypes",
  ],
  "StorageDiagnosis": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto", "StorageXML", "HTTPTypes"],
  "SigningJobs": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto", "HTTPTypes"],
  "AsperaTransfer": ["AsperaAuth", "StorageAuth"],
  "AscpDriver": ["AsperaAuth", "AsperaTransfer", "CloudCredentials", "StorageAuth", "StorageCrypto"],
  "CommandCredentials": ["CloudCredentials", "StorageAuth"],
  "AsyncHTTPTransport": ["StorageAuth", "HTTPTypes"],
  "FoundationTransport": ["StorageAuth", "HTTPTypes"],
  "URLSessionDefault": ["FoundationTransport"],
  "StorageClient": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "AscpDriver", "AsyncHTTPTransport",
    "CloudCredentials", "CommandCredentials", "FoundationTransport", "StorageAuth", "StorageCrypto", "StorageDiagnosis",
    "StorageJSON", "StorageXML", "URLSessionDefault", "HTTPTypes",
  ],
  "StorageBackground": ["FoundationTransport", "StorageAuth", "StorageClient", "StorageCrypto", "HTTPTypes"],
  "StorageObservability": ["StorageAuth", "HTTPTypes"],
  "StorageServices": ["AsperaTransfer", "StorageAuth"],
  "HTTPServing": ["StorageAuth", "HTTPTypes"],
  "LocalCloud": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "CloudCredentials", "HTTPServing", "StorageAuth", "StorageCrypto",
    "StorageJSON", "StorageKeys", "StorageXML", "HTTPTypes",
  ],
  "StorageAuthServer": [
    "OSSAuth", "AsperaAuth", "CloudCredentials", "HTTPServing", "StorageAuth", "StorageCrypto", "StorageJSON",
    "StorageKeys", "StorageXML", "HTTPTypes",
  ],
  "StorageAuthRedis": ["StorageAuth", "StorageAuthServer", "StorageCrypto", "StorageJSON"],
  "StorageConfiguration": [
    "AsyncHTTPTransport", "CloudCredentials", "HTTPServing", "LocalCloud", "StorageAuth", "StorageAuthServer",
    "StorageClient", "StorageJSON",
  ],
  "LocalConsole": ["LocalCloud", "StorageAuth", "StorageAuthServer", "StorageDiagnosis", "StorageJSON", "HTTPTypes"],
  "StorageAuthTesting": ["StorageAuth", "HTTPTypes"],
  "StorageClientTesting": ["StorageAuth", "StorageClient", "StorageCrypto", "HTTPTypes"],
  "ascp-simulator": [
    "AsperaAuth", "StorageAuth", "StorageClient", "StorageCrypto", "StorageJSON", "StorageKeys", "HTTPTypes",
  ],
  "storage-auth": [
    "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "AscpDriver", "CloudCredentials", "LocalCloud",
    "LocalConsole", "SigningJobs", "StorageAuth", "StorageAuthRedis", "StorageAuthServer", "StorageClient",
    "StorageConfiguration", "StorageDiagnosis", "StorageJSON", "StorageObservability", "HTTPTypes",
  ],
]

/// The modules that are programs.
let programs = ["storage-auth", "ascp-simulator"]

/// The packages of the products, where it is not swift-nio.
let packages = [
  "ArgumentParser": "swift-argument-parser", "AsyncHTTPClient": "async-http-client",
  "Configuration": "swift-configuration", "CoreMetrics": "swift-metrics", "Hummingbird": "hummingbird",
  "HummingbirdCore": "hummingbird", "HummingbirdHTTP2": "hummingbird", "InMemoryTracing": "swift-distributed-tracing",
  "Logging": "swift-log", "MetricsTestKit": "swift-metrics", "NIOHTTPTypes": "swift-nio-extras",
  "NIOSSL": "swift-nio-ssl", "ServiceLifecycle": "swift-service-lifecycle", "Subprocess": "swift-subprocess",
  "SystemPackage": "swift-system", "Tracing": "swift-distributed-tracing", "UnixSignals": "swift-service-lifecycle",
]

/// The systems on which programs can be started and SwiftNIO is the usual network: the client's defaults there are
/// AsyncHTTPClient, ascp and commands, if the trait `Client` is on.
let withPrograms: [Platform] = [.linux, .macOS]

/// The systems on which URLSession is the client's transport by default.
let withoutPrograms: [Platform] = [.macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .android]

/// What stands behind the client's defaults, which `STORAGE_AUTH_NIO` chooses in its sources.
let defaults = ["AscpDriver", "AsyncHTTPTransport", "CommandCredentials"]

/// The platforms whose cryptography is libcrypto, and those that have CommonCrypto.
let libcryptoPlatforms: [Platform] = [.linux, .android]
let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

/// Whether `STORAGE_AUTH_CRYPTO=CommonCrypto` replaces libcrypto, for tests on Linux, by what Apple's systems use.
let testsCommonCrypto = Context.environment["STORAGE_AUTH_CRYPTO"] == "CommonCrypto"

/// What modules use of other packages.
let foreign: [String: [Target.Dependency]] = [
  "StorageKeys": ["Crypto", "CryptoExtras"].map {
    .product(
      name: $0, package: "swift-crypto",
      condition: testsCommonCrypto ? nil : .when(platforms: applePlatforms, traits: ["PrivateKeys"]))
  },
  "AscpDriver": products("Client", ["NIOCore", "NIOPosix", "Subprocess", "SystemPackage"]),
  "CommandCredentials": products("Client", ["Subprocess", "SystemPackage"]),
  "AsyncHTTPTransport": products(
    "Client", ["AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "SystemPackage"]),
  "StorageClient": products(["Client", "URLSession"], ["Logging", "SystemPackage"])
    + products("Client", ["NIOCore"], platforms: withPrograms),
  "StorageBackground": products(["Client", "URLSession"], ["SystemPackage"]),
  "StorageClientTesting": products(["Client", "URLSession"], ["SystemPackage"]),
  "StorageObservability": products("Observability", ["CoreMetrics", "Tracing"]),
  "StorageServices": products("Services", ["ServiceLifecycle"]),
  "HTTPServing": products(
    "Server",
    ["HummingbirdCore", "HummingbirdHTTP2", "Logging", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOSSL", "NIOTLS"]),
  "LocalCloud": products(
    "Server",
    [
      "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "ServiceLifecycle",
      "SystemPackage",
    ]),
  "StorageAuthServer": products(
    "Server", ["CoreMetrics", "Hummingbird", "Logging", "NIOCore", "NIOHTTP1", "ServiceLifecycle"]),
  "StorageAuthRedis": products("Redis", ["NIOCore", "NIOPosix", "NIOSSL"]),
  "StorageConfiguration": products("Configuration", ["Configuration"]),
  "LocalConsole": products("Server", ["Hummingbird", "Logging", "NIOCore"]),
  "ascp-simulator": products("CommandLine", ["NIOCore", "NIOPosix", "_NIOFileSystem", "SystemPackage"]),
  "storage-auth": products(
    "CommandLine",
    [
      "ArgumentParser", "Configuration", "CoreMetrics", "Hummingbird", "Logging", "NIOCore", "ServiceLifecycle",
      "SystemPackage", "UnixSignals",
    ]),
]

/// Products of other packages, fetched only for consumers that switch one of the traits on.
func products(_ traits: Set<String>, _ names: [String], platforms: [Platform] = []) -> [Target.Dependency] {
  names.map { name in
    let condition: TargetDependencyCondition? =
      platforms.isEmpty ? .when(traits: traits) : .when(platforms: platforms, traits: traits)
    return .product(name: name, package: packages[name, default: "swift-nio"], condition: condition)
  }
}

func products(_ trait: String, _ names: [String], platforms: [Platform] = []) -> [Target.Dependency] {
  products([trait], names, platforms: platforms)
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let auth: [Target.Dependency] = ["OSSAuth", "COSAuth", "StorageAuth", "StorageCrypto", httpTypes]
let aspera: [Target.Dependency] = ["AsperaAuth", "StorageJSON", "StorageKeys"]

/// What an example with a server of its own needs besides.
let server: [Target.Dependency] = ["StorageAuthServer"] + products("CommandLine", ["Hummingbird", "Logging"])

/// What holds the readers of foreign bytes that are fuzzed.
let fuzzed: [Target.Dependency] =
  auth + aspera + [
    "S3Auth", "AsperaTransfer", "CloudCredentials", "LocalCloud", "SigningJobs", "StorageAuthServer",
    "StorageAuthTesting", "StorageClient", "StorageCompression", "StorageDiagnosis", "StorageXML",
  ] + products("Server", ["Hummingbird", "NIOCore", "NIOEmbedded", "NIOHTTP1"])

/// What a name in `modules` stands for.
func targetDependencies(_ name: String, of module: String) -> [Target.Dependency] {
  switch name {
  case "HTTPTypes": [httpTypes]
  case "CLibcrypto" where testsCommonCrypto: []
  case "CLibcrypto": [.byName(name: name, condition: .when(platforms: libcryptoPlatforms))]
  case "CCommonCrypto" where testsCommonCrypto: [.byName(name: name), "CommonCrypto"]
  case "CCommonCrypto": [.byName(name: name, condition: .when(platforms: applePlatforms))]
  case _ where module == "StorageClient" && defaults.contains(name):
    [.target(name: name, condition: .when(platforms: withPrograms, traits: ["Client"]))]
  // A target can be a dependency under one condition only, and the platforms and the traits of a condition have to hold
  // both. FoundationTransport is needed on some systems always and on the others with a trait; there URLSessionDefault,
  // which is built for nothing else, brings it.
  case "FoundationTransport" where module == "StorageClient":
    [.target(name: name, condition: .when(platforms: withoutPrograms))]
  case "URLSessionDefault":
    [.target(name: name, condition: .when(platforms: withPrograms, traits: ["URLSession"]))]
  default: [.byName(name: name)]
  }
}

/// A line of `modules` as a target.
func module(_ name: String, _ imports: [String]) -> Target {
  let dependencies = imports.flatMap { targetDependencies($0, of: name) } + foreign[name, default: []]
  let choices: [SwiftSetting] = [
    .define("STORAGE_AUTH_NIO", .when(platforms: withPrograms, traits: ["Client"])),
    .define("STORAGE_AUTH_URLSESSION", .when(platforms: withPrograms, traits: ["URLSession"])),
  ]
  let settings = name == "StorageClient" ? rules + choices : rules
  let resources: [Resource] =
    switch name {
    case "StorageClient": [.copy("PrivacyInfo.xcprivacy")]
    case "LocalConsole": ["html", "css", "js"].map { .embedInCode("Page/console.\($0)") }
    default: []
    }
  return programs.contains(name)
    ? .executableTarget(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
    : .target(
      name: name, dependencies: dependencies,
      resources: resources, swiftSettings: settings)
}

/// A module that only tests and examples use.
func support(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: testRules)
}

/// A program that shows how something is used.
func example(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  let used = ["ArgumentParser", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "SystemPackage"]
  return .executableTarget(
    name: name, dependencies: more + ["StorageClient", "LocalCloud", "ExampleSupport"] + products("CommandLine", used),
    path: "Examples/\(name)", swiftSettings: testRules)
}

/// A target that stands outside of the package as a consumer does: the compiler gives it nothing but public API.
func outsider(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency], program: Bool = false
) -> Target {
  program
    ? .executableTarget(
      name: name, dependencies: dependencies, path: path, packageAccess: false, swiftSettings: testRules)
    : .target(name: name, dependencies: dependencies, path: path, packageAccess: false, swiftSettings: testRules)
}

/// Tests, with the products of other packages that they use when a trait is on, what is no source, and what is copied.
func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], client: [String] = [], server: [String] = [],
  configuration: [String] = [], path: String? = nil, exclude: [String] = [], copying: [String] = [],
  packageAccess: Bool = true
) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies + products("Client", client) + products("Server", server)
      + products("Configuration", configuration), path: path,
    exclude: exclude, resources: copying.map { .copy($0) }, packageAccess: packageAccess, swiftSettings: testRules)
}

let libraries = [
  "StorageAuth", "OSSAuth", "COSAuth", "S3Auth", "AsperaAuth", "AsperaTransfer", "AscpDriver", "AsyncHTTPTransport",
  "FoundationTransport", "CloudCredentials", "CommandCredentials", "StorageDiagnosis", "StorageClient",
  "StorageBackground", "StorageObservability", "StorageServices", "StorageAuthServer", "StorageAuthRedis",
  "StorageConfiguration", "StorageJSON", "LocalCloud", "StorageAuthTesting", "StorageClientTesting",
]

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + programs.map { .executable(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "PrivateKeys", description: "AsperaAuth on Apple's systems: private keys with swift-crypto."),
    .trait(
      name: "Client", description: "StorageClient over AsyncHTTPClient, with ascp and commands.",
      enabledTraits: ["PrivateKeys"]),
    .trait(
      name: "URLSession", description: "StorageClient over URLSession, without SwiftNIO.",
      enabledTraits: ["PrivateKeys"]),
    .trait(
      name: "Server", description: "LocalCloud: a verifying server on loopback, over Hummingbird.",
      enabledTraits: ["PrivateKeys"]),
    .trait(
      name: "Redis", description: "StorageAuthRedis: stores that several servers share, over SwiftNIO.",
      enabledTraits: ["Server"]),
    .trait(name: "Observability", description: "StorageObservability: swift-metrics and swift-distributed-tracing."),
    .trait(name: "Services", description: "StorageServices: caches and queues as services of swift-service-lifecycle."),
    .trait(
      name: "Configuration",
      description: "StorageConfiguration: settings of the client and the servers, read with swift-configuration.",
      enabledTraits: ["Client", "Server"]),
    .trait(
      name: "CommandLine", description: "The storage-auth tool and the examples.",
      enabledTraits: ["Client", "Configuration", "Observability", "Redis", "Server", "Services"]),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: modules.map { module($0.key, $0.value) }
)

package.targets += [
  .target(name: "CCarryless"),
  .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CCommonCrypto"),
  // Without the flags of pkg-config, which on a Mac would be those of another zlib than the one in Apple's SDKs.
  .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
]

if testsCommonCrypto {
  package.targets.append(
    .target(name: "CommonCrypto", path: "Tests/CommonCrypto", linkerSettings: [.linkedLibrary("crypto")]))
}

// Examples and measurements.
package.targets += [
  .target(
    name: "ExampleSupport", dependencies: ["LocalCloud", "StorageAuth"], path: "Examples/Support", swiftSettings: rules),
  example("OSSExample"),
  example("COSExample"),
  example("S3Example"),
  example("AsperaExample", ["AscpDriver"]),
  example("AsperaOnCloudExample"),
  example("AnyProviderExample", ["FoundationTransport"]),
  example("CredentialsExample"),
  example("TokenServerExample", server),
  example("RemoteSigningExample", auth + server),
  outsider("VerifiedService", "Examples/VerifiedService", ["OSSAuth", "COSAuth", "StorageAuth"] + server),
  outsider(
    "VerifiedServiceExample", "Examples/VerifiedServiceExample",
    server + ["VerifiedService", "StorageAuth", "StorageAuthRedis"]
      + products("CommandLine", ["ArgumentParser", "NIOCore", "UnixSignals"]),
    program: true),
  outsider(
    "OBSProvider", "Examples/OBSProvider", ["CloudCredentials", "StorageAuth", "StorageClient", httpTypes]),
  outsider("PhotoApp", "Examples/iOSApp/PhotoApp", ["StorageBackground", "StorageClient"]),
  outsider("obs-sign", "Tests/Interop/OBSSign", ["OBSProvider", "StorageAuth", httpTypes], program: true),
  outsider("aspera-grant", "Tests/Interop/AsperaGrant", ["LocalCloud", "StorageClient", "StorageJSON"], program: true),
  .executableTarget(
    name: "FormUploadExample",
    dependencies: ["ExampleSupport", "LocalCloud", "OSSAuth", "COSAuth", "StorageAuth", "StorageAuthServer"]
      + products("CommandLine", ["ArgumentParser", "Hummingbird", "NIOCore"]),
    path: "Examples/FormUpload",
    resources: [.embedInCode("page.html")],
    swiftSettings: testRules),
  .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
  .target(
    name: "CHashBlocks", dependencies: [.byName(name: "CLibcrypto", condition: .when(platforms: libcryptoPlatforms))],
    path: "Benchmarks/CHashBlocks"),
  .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
  .executableTarget(
    name: "signing-benchmark", dependencies: auth + ["CAllocationCounter", "CHashBlocks", "S3Auth"],
    path: "Benchmarks/Signing",
    resources: [.copy("workloads.json")], swiftSettings: rules),
  .executableTarget(
    name: "transfer-benchmark",
    dependencies: ["OSSAuth", "StorageAuth", "StorageClient", "StorageCrypto", httpTypes]
      + products(
        "CommandLine", ["ArgumentParser", "AsyncHTTPClient", "Hummingbird", "Logging", "NIOCore", "NIOHTTP1"]),
    path: "Benchmarks/Transfer", swiftSettings: testRules),
  .executableTarget(
    name: "fleet", dependencies: ["StorageAuth", "StorageAuthTesting"], path: "Benchmarks/Fleet", swiftSettings: rules),
  support("SigningProperties", "Tests/SigningProperties", ["StorageAuth", "StorageAuthTesting", httpTypes]),
  support("ProcessWatching", "Tests/ProcessWatching"),
  support("LongRun", "Tests/LongRun/Core", ["StorageAuth", "StorageClient", "LocalCloud", "StorageAuthTesting"]),
  support(
    "SyncSimulation", "Tests/SyncSimulation/Core",
    ["StorageAuth", "StorageClient", "StorageCrypto", httpTypes]
      + products("CommandLine", ["SystemPackage"])),
  .executableTarget(
    name: "sync-simulation",
    dependencies: ["SyncSimulation"] + products("CommandLine", ["ArgumentParser"]),
    path: "Tests/SyncSimulation/Program", swiftSettings: testRules),
  .executableTarget(
    name: "long-run",
    dependencies: ["FoundationTransport", "LongRun", "StorageClient"] + products("CommandLine", ["ArgumentParser"]),
    path: "Tests/LongRun/Program", swiftSettings: testRules),
]

package.targets += [
  tests("PackageTests", exclude: ["Arithmetic.txt"]),
  tests("StorageCryptoTests", ["StorageCrypto"]),
  tests("StorageKeysTests", ["StorageKeys", "StorageCrypto"]),
  tests("StorageCompressionTests", ["StorageCompression"]),
  tests("StorageJSONTests", ["StorageJSON"]),
  tests("StorageXMLTests", ["StorageXML"]),
  tests(
    "StorageAuthTests", ["StorageAuth", "StorageAuthTesting", "StorageCrypto", "SigningProperties", httpTypes]),
  tests("StorageAuthTestingTests", auth + ["CloudCredentials", "S3Auth", "StorageAuthTesting"]),
  tests("OSSAuthTests", auth + ["SigningProperties", "StorageAuthTesting"]),
  tests("COSAuthTests", auth + ["SigningProperties", "StorageAuthTesting"]),
  tests(
    "S3AuthTests",
    [
      "S3Auth", "StorageAuth", "StorageCrypto", "SigningProperties", "StorageAuthTesting", "CAllocationCounter",
      httpTypes,
    ],
    copying: ["Vectors"]),
  tests("VectorTests", auth + ["SigningJobs", "CloudCredentials"], copying: ["Vectors"]),
  tests(
    "CloudCredentialsTests", ["CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCrypto", httpTypes]),
  tests(
    "AsperaAuthTests",
    aspera + [
      "CloudCredentials", "StorageAuth", "StorageAuthTesting", "StorageCompression", "StorageCrypto", httpTypes,
    ],
    copying: ["Vectors", "Keys"]),
  tests(
    "AsperaTransferTests",
    aspera + [
      "AsperaTransfer", "AscpDriver", "CloudCredentials", "ProcessWatching", "StorageAuth", "StorageAuthTesting",
      "StorageCrypto", httpTypes,
    ],
    client: ["NIOCore", "NIOPosix", "SystemPackage"], exclude: ["Ascp/fake-ascp.py"]),
  tests(
    "RedactionTests", auth + aspera + ["S3Auth", "CloudCredentials", "StorageAuthTesting"],
    exclude: ["check-redaction-coverage.py"]),
  tests(
    "ServerRedactionTests",
    [
      "AsperaTransfer", "AscpDriver", "CloudCredentials", "LocalCloud", "OSSAuth", "StorageAuth", "StorageAuthRedis",
      "StorageAuthServer", "StorageAuthTesting", "StorageClient", "StorageDiagnosis",
    ],
    server: ["Hummingbird", "Logging"]),
  tests(
    "StorageDiagnosisTests",
    auth + [
      "S3Auth", "CloudCredentials", "LocalCloud", "StorageAuthTesting", "StorageClient", "StorageDiagnosis",
      "StorageXML",
    ],
    server: ["NIOCore", "NIOPosix"]),
  tests(
    "StorageClientTests",
    auth + aspera + [
      "AsperaTransfer", "AscpDriver", "AsyncHTTPTransport", "CloudCredentials", "CommandCredentials",
      "FoundationTransport", "LocalCloud", "LongRun", "ProcessWatching", "StorageAuthTesting", "StorageClient",
      "StorageClientTesting", "StorageDiagnosis", "StorageXML",
    ],
    client: ["AsyncHTTPClient", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Subprocess"]),
  tests(
    "StorageClientTestingTests",
    ["StorageAuth", "StorageAuthTesting", "StorageClient", "StorageClientTesting", httpTypes],
    client: ["SystemPackage"]),
  tests(
    "FoundationTransportTests",
    ["AsyncHTTPTransport", "FoundationTransport", "StorageAuth", "StorageAuthTesting", httpTypes]),
  tests(
    "StorageBackgroundTests",
    [
      "FoundationTransport", "LocalCloud", "StorageAuth", "StorageAuthTesting", "StorageBackground", "StorageClient",
      httpTypes,
    ],
    client: ["SystemPackage"], server: ["NIOCore", "NIOPosix"]),
  tests(
    "StorageObservabilityTests",
    [
      "CloudCredentials", "LocalCloud", "OSSAuth", "StorageAuth", "StorageAuthTesting", "StorageClient",
      "StorageObservability", httpTypes,
    ] + products("Observability", ["CoreMetrics", "InMemoryTracing", "MetricsTestKit", "Tracing"])),
  tests(
    "StorageServicesTests",
    [
      "AsperaAuth", "AsperaTransfer", "CloudCredentials", "LocalCloud", "OSSAuth", "StorageAuth", "StorageAuthServer",
      "StorageAuthTesting", "StorageServices",
    ] + products("Services", ["ServiceLifecycle"]), server: ["Hummingbird", "Logging"]),
  tests(
    "StorageConfigurationTests",
    [
      "AsyncHTTPTransport", "HTTPServing", "LocalCloud", "StorageAuth", "StorageAuthServer", "StorageClient",
      "StorageConfiguration", "StorageJSON",
    ],
    configuration: ["Configuration"]),
  tests(
    "HTTPServingTests", ["HTTPServing", "StorageAuth"], client: ["AsyncHTTPClient"],
    server: ["Hummingbird", "Logging", "NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOSSL"],
    copying: ["Certificates"]),
  tests(
    "LocalCloudTests",
    auth + aspera + [
      "CloudCredentials", "HTTPServing", "LocalCloud", "S3Auth", "StorageAuthTesting", "StorageXML",
    ],
    client: ["AsyncHTTPClient"], server: ["NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "SystemPackage"],
    copying: ["Vectors"]),
  tests(
    "LocalConsoleTests",
    auth + ["LocalCloud", "LocalConsole", "S3Auth", "StorageAuthTesting", "StorageDiagnosis", "StorageJSON"],
    client: ["AsyncHTTPClient"], server: ["NIOCore", "NIOHTTP1"]),
  tests(
    "StorageAuthServerTests",
    auth + aspera + [
      "AsyncHTTPTransport", "CloudCredentials", "LocalCloud", "S3Auth", "StorageAuthServer", "StorageAuthTesting",
      "StorageClient", "VerifiedService",
    ],
    client: ["AsyncHTTPClient"],
    server: ["Hummingbird", "Logging", "MetricsTestKit", "NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOSSL"]),
  tests(
    "StorageAuthRedisTests",
    ["StorageAuth", "StorageAuthRedis", "StorageAuthServer", "StorageAuthTesting"], server: ["NIOCore"]),
  tests(
    "OBSProviderTests",
    [
      "CloudCredentials", "OBSProvider", "StorageAuth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
      httpTypes,
    ],
    server: ["Hummingbird", "Logging", "NIOCore", "NIOEmbedded"], copying: ["Vectors"], packageAccess: false),
  tests("PhotoAppTests", ["LocalCloud", "PhotoApp", "StorageBackground", "StorageClient"], packageAccess: false),
  tests(
    "ComplexityTests",
    auth + aspera + [
      "S3Auth", "CInstructionCounter", "CloudCredentials", "LocalCloud", "SigningJobs", "StorageClient",
      "StorageDiagnosis", "StorageXML",
    ],
    client: ["NIOCore"]),
  tests("FuzzTests", fuzzed, path: "Tests/Fuzz", exclude: ["Corpus", "Engine", "run.sh"]),
]

// `STORAGE_AUTH_FUZZ=1` makes the replay of the corpora a program that libFuzzer drives. The flags of the sanitizer are
// given on the command line (`make fuzz`), so that the manifest that consumers see has no unsafe ones.
if Context.environment["STORAGE_AUTH_FUZZ"] != nil {
  package.targets.removeAll { $0.name == "FuzzTests" }
  package.targets += [
    .target(name: "FuzzEngine", path: "Tests/FuzzEngine"),
    .executableTarget(
      name: "storage-auth-fuzz",
      dependencies: fuzzed + ["FuzzEngine"],
      path: "Tests/Fuzz",
      exclude: ["Corpus", "CorpusTests.swift", "run.sh"],
      swiftSettings: testRules,
      // gold, which is the default on Linux, ends with an internal error on the names that the address sanitizer makes.
      linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]),
  ]
}

extension Package {
  /// Leaves only the named targets and what they depend on.
  func keep(_ names: [String]) {
    var kept: Set<String> = []
    var pending = names
    while let name = pending.popLast() {
      guard kept.insert(name).inserted, let target = targets.first(where: { $0.name == name }) else { continue }
      for dependency in target.dependencies {
        switch dependency {
        case .byNameItem(let name, _), .targetItem(let name, _): pending.append(name)
        default: break
        }
      }
    }
    targets.removeAll { !kept.contains($0.name) }
    products.removeAll { !kept.contains($0.name) }
  }
}

// `STORAGE_AUTH_CORE=1` leaves out everything that needs NIO: the libraries without a network and their tests build in a
// minute then, which is what the sanitizers run. `STORAGE_AUTH_CORE=aspera` leaves AsperaTransfer in.
if let extent = Context.environment["STORAGE_AUTH_CORE"] {
  package.keep(
    [
      "StorageCryptoTests", "StorageKeysTests", "StorageCompressionTests", "StorageJSONTests", "StorageXMLTests",
      "StorageAuthTests", "StorageAuthTestingTests", "OSSAuthTests", "COSAuthTests", "S3AuthTests", "VectorTests",
      "CloudCredentialsTests", "AsperaAuthTests", "RedactionTests",
    ] + (extent == "aspera" ? ["AsperaTransferTests"] : []))
  var used: Set<String> = []
  for target in package.targets {
    for case .productItem(_, let name?, _, _) in target.dependencies { used.insert(name) }
  }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !used.contains { location.hasSuffix("/\($0)") }
  }
}

// `STORAGE_AUTH_DOCS=1` (`make docs`) and `SPI_GENERATE_DOCS`, which the Swift Package Index sets, add swift-docc-plugin and
// the module of the package's own catalogue. The plugin documents targets only, so the catalogue needs one; it depends on
// the libraries, so that its links to them resolve. Consumers fetch and build neither.
if Context.environment["STORAGE_AUTH_DOCS"] != nil || Context.environment["SPI_GENERATE_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
  package.targets.append(
    .target(
      name: "SwiftStorageAuth", dependencies: libraries.map { .byName(name: $0) },
      path: "Documentation/SwiftStorageAuth", swiftSettings: rules))
}

// `STORAGE_AUTH_ONLY=OSSAuthTests,COSAuthTests` builds the named targets and what they depend on, so that one module's
// tests are built and run in seconds; every package is still resolved.
if let names = Context.environment["STORAGE_AUTH_ONLY"] {
  package.keep(names.split(separator: ",").map(String.init))
}
