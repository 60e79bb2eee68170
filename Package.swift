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

/// A module of a layer: what it may import besides what these modules import, and products of other packages.
struct Module {
  let name: String
  let imports: [String]
  /// The products of other packages that the module uses.
  let products: [String]
  /// The traits of which each makes consumers fetch the packages of `products`.
  let traits: Set<String>
  let isPublic: Bool
  let resources: [Resource]

  init(
    _ name: String, _ imports: [String] = [], _ products: [String] = [], traits: Set<String> = [],
    isPublic: Bool = true, resources: [Resource] = []
  ) {
    (self.name, self.imports, self.products, self.traits) = (name, imports, products, traits)
    (self.isPublic, self.resources) = (isPublic, resources)
  }
}

/// The folders of `Sources`, from the bottom up, with their modules in the same order.
///
/// A module may import only modules above its row. ArchitectureTests compares the sources with the rows, and
/// ArchitecturePageTests the graph and the table in `Documentation/Internals/Architecture.md`.
let layers: KeyValuePairs<String, [Module]> = [
  "Core": [
    Module("StorageCrypto", ["CLibcrypto", "CCommonCrypto", "CCarryless"], isPublic: false),
    Module(
      "StorageKeys", ["StorageCrypto", "CLibcrypto"], ["Crypto", "CryptoExtras"], traits: ["PrivateKeys"],
      isPublic: false),
    Module("StorageAuth", ["StorageCrypto", "HTTPTypes"]),
    Module("StorageDiagnosis", ["StorageAuth"]),
    Module("CredentialSources", ["StorageAuth"]),
  ],
  "Providers": [
    Module("OSSAuth", ["CredentialSources", "StorageDiagnosis"]),
    Module("COSAuth", ["CredentialSources", "StorageDiagnosis"]),
    Module("S3Auth", ["CredentialSources", "StorageDiagnosis"]),
    Module("AsperaAuth", ["CredentialSources", "StorageKeys", "CZlib"]),
  ],
  "Client": [
    Module("AsperaTransfer", ["AsperaAuth"]),
    Module(
      "StoragePrograms", ["AsperaTransfer"], ["NIOCore", "NIOPosix", "Subprocess", "SystemPackage"], traits: ["Client"]),
    Module(
      "AsyncHTTPTransport", ["StorageAuth"],
      ["AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "SystemPackage"], traits: ["Client"]),
    Module("FoundationTransport", ["StorageAuth"]),
    Module("URLSessionDefault", ["FoundationTransport"], isPublic: false),
    Module(
      "StorageClient",
      [
        "OSSAuth", "COSAuth", "S3Auth", "AsperaTransfer", "StoragePrograms", "AsyncHTTPTransport",
        "FoundationTransport",
        "URLSessionDefault",
      ],
      ["Logging", "SystemPackage"], traits: ["Client", "URLSession"], resources: [.copy("PrivacyInfo.xcprivacy")]),
    Module(
      "StorageBackground", ["FoundationTransport", "StorageClient"], ["SystemPackage"],
      traits: ["Client", "URLSession"]),
    Module(
      "StorageOperations", ["AsperaTransfer"], ["CoreMetrics", "ServiceLifecycle", "Tracing"], traits: ["Operations"]),
  ],
  "Server": [
    Module(
      "StorageAuthServer", ["OSSAuth", "AsperaAuth"],
      [
        "CoreMetrics", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "Logging", "NIOCore", "NIOHTTP1",
        "NIOHTTPTypes", "NIOSSL", "NIOTLS", "ServiceLifecycle",
      ], traits: ["Server"]),
    Module("StorageAuthRedis", ["StorageAuthServer"], ["NIOCore", "NIOPosix", "NIOSSL"], traits: ["Redis"]),
  ],
  "Testing": [
    Module(
      "LocalCloud", ["COSAuth", "S3Auth", "StorageAuthServer"],
      [
        "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "_NIOFileSystem", "ServiceLifecycle",
        "SystemPackage",
      ], traits: ["Server"]),
    Module("StorageAuthTesting", ["StorageAuth"]),
    Module("StorageClientTesting", ["StorageClient"], ["SystemPackage"], traits: ["Client", "URLSession"]),
    Module(
      "ascp-simulator", ["StorageClient"], ["NIOCore", "NIOPosix", "_NIOFileSystem", "SystemPackage"],
      traits: ["CommandLine"]),
  ],
  "Tool": [
    Module("SigningJobs", ["OSSAuth", "COSAuth", "S3Auth"], isPublic: false),
    Module(
      "StorageConfiguration", ["AsyncHTTPTransport", "LocalCloud", "StorageClient"],
      ["Configuration"], traits: ["Configuration"]),
    Module(
      "storage-auth",
      [
        "SigningJobs", "StorageAuthRedis", "StorageConfiguration", "StorageOperations",
        "StoragePrograms",
      ],
      [
        "ArgumentParser", "Configuration", "CoreMetrics", "Hummingbird", "Logging", "NIOCore", "ServiceLifecycle",
        "SystemPackage", "UnixSignals",
      ], traits: ["CommandLine"], resources: ["html", "css", "js"].map { .embedInCode("Console/Page/console.\($0)") }),
  ],
]

/// What fails to compile, with the line that is missing in a consumer's manifest, if a module's trait is off.
let gates: [(trait: String, modules: [String])] = [
  ("Client", ["StoragePrograms", "AsyncHTTPTransport"]),
  ("Sending", ["StorageClient", "StorageBackground", "StorageClientTesting"]),
  ("Server", ["StorageAuthServer", "LocalCloud"]),
  ("Redis", ["StorageAuthRedis"]),
  ("Operations", ["StorageOperations"]),
  ("Configuration", ["StorageConfiguration"]),
  ("CommandLine", ["storage-auth", "ascp-simulator"]),
]

/// The modules that are programs.
let programs = ["storage-auth", "ascp-simulator"]

/// The other packages, each with the oldest version that is used, and the products that are used.
let packages: [(location: String, from: Version, products: [String])] = [
  ("apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
  ("apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"]),
  ("apple/swift-nio", "2.101.2", ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS", "_NIOFileSystem"]),
  ("apple/swift-nio-extras", "1.34.1", ["NIOHTTPTypes"]),
  ("apple/swift-nio-ssl", "2.37.6", ["NIOSSL"]),
  ("apple/swift-system", "1.8.1", ["SystemPackage"]),
  ("apple/swift-log", "1.16.2", ["Logging"]),
  ("apple/swift-metrics", "2.13.0", ["CoreMetrics", "MetricsTestKit"]),
  ("apple/swift-distributed-tracing", "1.7.3", ["InMemoryTracing", "Tracing"]),
  ("apple/swift-configuration", "1.4.0", ["Configuration"]),
  ("apple/swift-argument-parser", "1.8.2", ["ArgumentParser"]),
  ("swift-server/async-http-client", "1.37.0", ["AsyncHTTPClient"]),
  ("hummingbird-project/hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore", "HummingbirdHTTP2"]),
  ("swift-server/swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
  ("swiftlang/swift-subprocess", "1.0.2", ["Subprocess"]),
]

/// The packages of which no trait is switched on.
let withoutTraits = ["swift-http-types", "swift-configuration", "hummingbird", "swift-subprocess"]

/// The systems on which programs can be started and SwiftNIO is the usual network: the client's defaults there are
/// AsyncHTTPClient, ascp and commands, if the trait `Client` is on.
let withPrograms: [Platform] = [.linux, .macOS]

/// The systems on which URLSession is the client's transport by default.
let withoutPrograms: [Platform] = [.macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .android]

/// What stands behind the client's defaults, which `STORAGE_AUTH_NIO` chooses in its sources.
let defaults = ["AsyncHTTPTransport", "StoragePrograms"]

/// The platforms whose cryptography is libcrypto, and those that have CommonCrypto.
let libcryptoPlatforms: [Platform] = [.linux, .android]
let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

/// Whether `STORAGE_AUTH_CRYPTO=CommonCrypto` replaces libcrypto, for tests on Linux, by what Apple's systems use.
let testsCommonCrypto = Context.environment["STORAGE_AUTH_CRYPTO"] == "CommonCrypto"

/// The rows of all layers.
let modules = layers.flatMap(\.value)

/// The dependency of a module on another one, or on a product that is always fetched.
func dependencies(on name: String, of module: String) -> [Target.Dependency] {
  switch name {
  case "HTTPTypes": [product(name)]
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

/// Returns names with those of everything that they import without a condition.
func closure(of names: [String]) -> [String] {
  var found = names
  for name in names {
    guard let row = modules.first(where: { $0.name == name }) else { continue }
    let conditional = name == "StorageClient" ? defaults + ["FoundationTransport", "URLSessionDefault"] : []
    let below = closure(of: row.imports.filter { !conditional.contains($0) && !isInC($0) })
    found += below.filter { !found.contains($0) }
  }
  return found
}

/// Whether a module is in C; only the modules whose rows name it may import it.
func isInC(_ name: String) -> Bool { name.hasPrefix("CC") || ["CLibcrypto", "CZlib"].contains(name) }

/// Returns the name of the package with a product, or `nil` if the name is not that of a product.
func package(of product: String) -> String? {
  packages.first { $0.products.contains(product) }?.location.split(separator: "/").last.map(String.init)
}

func product(_ name: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
  .product(name: name, package: package(of: name) ?? name, condition: condition)
}

/// The products of a module, each fetched only for consumers that switch one of its traits on.
func products(of module: Module) -> [Target.Dependency] {
  switch module.name {
  case "StorageKeys" where testsCommonCrypto: module.products.map { product($0) }
  case "StorageKeys": module.products.map { product($0, .when(platforms: applePlatforms, traits: module.traits)) }
  case "StorageClient":
    module.products.map { product($0, .when(traits: module.traits)) }
      + [product("NIOCore", .when(platforms: withPrograms, traits: ["Client"]))]
  default: module.products.map { product($0, .when(traits: module.traits)) }
  }
}

/// A row as a target.
func target(of module: Module, in layer: String) -> Target {
  let name = module.name
  let needed =
    closure(of: module.imports).flatMap { dependencies(on: $0, of: name) } + products(of: module)
    + gates.filter { $0.modules.contains(name) }.map { .byName(name: "\($0.trait)Trait") }
  let choices: [SwiftSetting] = [
    .define("STORAGE_AUTH_NIO", .when(platforms: withPrograms, traits: ["Client"])),
    .define("STORAGE_AUTH_URLSESSION", .when(platforms: withPrograms, traits: ["URLSession"])),
  ]
  let path = "Sources/\(layer)/\(name)"
  return programs.contains(name)
    ? .executableTarget(
      name: name, dependencies: needed, path: path, resources: module.resources, swiftSettings: rules)
    : .target(
      name: name, dependencies: needed, path: path, resources: module.resources,
      swiftSettings: name == "StorageClient" ? rules + choices : rules)
}

/// What tests, examples and benchmarks use: modules with what they import, and products of other packages.
///
/// The products of the modules are included.
func uses(_ names: [String]) -> [Target.Dependency] {
  let targets = closure(of: names)
  let products = modules.filter { targets.contains($0.name) && $0.name != "StorageKeys" }.flatMap(\.products)
  return Set(targets + products).sorted().map { name in
    package(of: name) == nil
      ? .byName(name: name) : product(name, name == "HTTPTypes" ? nil : .when(traits: ["CommandLine"]))
  }
}

/// A module that only tests and examples use.
func support(
  _ name: String, _ path: String, _ names: [String] = [], rules: [SwiftSetting] = testRules
) -> Target {
  .target(name: name, dependencies: uses(names), path: path, swiftSettings: rules)
}

/// A program that measures, or that tests run.
func program(
  _ name: String, _ path: String, _ names: [String], resources: [Resource] = [], rules: [SwiftSetting] = testRules
) -> Target {
  .executableTarget(name: name, dependencies: uses(names), path: path, resources: resources, swiftSettings: rules)
}

/// A program that shows how something is used.
func example(_ name: String, _ more: [String] = [], resources: [Resource] = []) -> Target {
  program(
    name, "Examples/\(name)", defaults + ["StorageClient", "LocalCloud", "ExampleSupport", "ArgumentParser"] + more,
    resources: resources)
}

/// A target that stands outside of the package as a consumer does: the compiler gives it nothing but public API.
func outsider(_ name: String, _ path: String, _ names: [String], isProgram: Bool = false) -> Target {
  isProgram
    ? .executableTarget(
      name: name, dependencies: uses(names), path: path, packageAccess: false, swiftSettings: testRules)
    : .target(name: name, dependencies: uses(names), path: path, packageAccess: false, swiftSettings: testRules)
}

/// The tests of a module, with the further modules and products that they use.
func tests(
  _ module: String, _ more: [String] = [], exclude: [String] = [], copying: [String] = [], packageAccess: Bool = true
) -> Target {
  let tested = modules.contains { $0.name == module } ? [module] : []
  return .testTarget(
    name: "\(module)Tests", dependencies: uses(tested + ["StorageAuthTesting"] + more), path: "Tests/\(module)Tests",
    exclude: exclude, resources: copying.map { .copy($0) }, packageAccess: packageAccess, swiftSettings: testRules)
}

/// Whether the documentation is built, by `make docs` or by the Swift Package Index.
let isDocumented =
  Context.environment["STORAGE_AUTH_DOCS"] != nil || Context.environment["SPI_GENERATE_DOCS"] != nil

let libraries = modules.filter { $0.isPublic && !programs.contains($0.name) }.map(\.name)

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + programs.map { .executable(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "PrivateKeys", description: "Private keys of AsperaAuth on Apple's systems, with swift-crypto."),
    .trait(name: "Client", description: "StorageClient over AsyncHTTPClient.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "URLSession", description: "StorageClient over URLSession.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Server", description: "StorageAuthServer and LocalCloud.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Redis", description: "StorageAuthRedis, over SwiftNIO.", enabledTraits: ["Server"]),
    .trait(name: "Operations", description: "StorageOperations: metrics, traces and services."),
    .trait(name: "Configuration", description: "StorageConfiguration.", enabledTraits: ["Client", "Server"]),
    .trait(
      name: "CommandLine", description: "The storage-auth tool and the examples.",
      enabledTraits: ["Client", "Configuration", "Operations", "Redis", "Server"]),
    .default(enabledTraits: isDocumented || Context.environment["STORAGE_AUTH_XCODE"] != nil ? ["CommandLine"] : []),
  ],
  dependencies: packages.map { package in
    let url = "https://github.com/\(package.location)"
    return withoutTraits.contains { url.hasSuffix("/\($0)") }
      ? .package(url: url, from: package.from, traits: []) : .package(url: url, from: package.from)
  },
  targets: layers.flatMap { layer in layer.value.map { target(of: $0, in: layer.key) } }
)

package.targets += gates.map { .target(name: "\($0.trait)Trait", path: "Sources/Traits/\($0.trait)Trait") }
package.targets += [
  .target(name: "CCarryless", path: "Sources/Core/CCarryless"),
  .systemLibrary(
    name: "CLibcrypto", path: "Sources/Core/CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CCommonCrypto", path: "Sources/Core/CCommonCrypto"),
  // Without the flags of pkg-config, which on a Mac would be those of another zlib than the one in Apple's SDKs.
  .systemLibrary(name: "CZlib", path: "Sources/Core/CZlib", providers: [.apt(["zlib1g-dev"])]),
]

if testsCommonCrypto {
  package.targets.append(
    .target(name: "CommonCrypto", path: "Tests/CommonCrypto", linkerSettings: [.linkedLibrary("crypto")]))
}

// Examples and measurements.
package.targets += [
  support("ExampleSupport", "Examples/Support", defaults + ["LocalCloud", "StorageClient"], rules: rules),
  example("OSSExample"),
  example("COSExample"),
  example("S3Example"),
  example("AsperaExample"),
  example("AsperaOnCloudExample"),
  example("AnyProviderExample", ["FoundationTransport"]),
  example("CredentialsExample"),
  example("TokenServerExample"),
  example("RemoteSigningExample"),
  example("FormUploadExample", resources: [.embedInCode("page.html")]),
  outsider("VerifiedService", "Examples/VerifiedService", ["COSAuth", "StorageAuthServer"]),
  outsider(
    "VerifiedServiceExample", "Examples/VerifiedServiceExample",
    ["VerifiedService", "COSAuth", "StorageAuthRedis", "ArgumentParser", "UnixSignals"], isProgram: true),
  outsider("OBSProvider", "Examples/OBSProvider", ["StorageClient"]),
  outsider("PhotoApp", "Examples/iOSApp/PhotoApp", ["StorageBackground"]),
  outsider("obs-sign", "Tests/Interop/OBSSign", ["OBSProvider", "StorageAuth"], isProgram: true),
  outsider("aspera-grant", "Tests/Interop/AsperaGrant", ["LocalCloud", "StorageClient"], isProgram: true),
  .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
  .target(
    name: "CHashBlocks", dependencies: [.byName(name: "CLibcrypto", condition: .when(platforms: libcryptoPlatforms))],
    path: "Benchmarks/CHashBlocks"),
  .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
  program(
    "signing-benchmark", "Benchmarks/Signing", ["OSSAuth", "COSAuth", "S3Auth", "CAllocationCounter", "CHashBlocks"],
    resources: [.copy("workloads.json")], rules: rules),
  program(
    "transfer-benchmark", "Benchmarks/Transfer", defaults + ["StorageClient", "ArgumentParser", "Hummingbird"]),
  program("fleet", "Benchmarks/Fleet", ["StorageAuthTesting"], rules: rules),
  support("SigningProperties", "Tests/SigningProperties", ["StorageAuthTesting"]),
  support("ProcessWatching", "Tests/ProcessWatching"),
  support(
    "ClientTestSupport", "Tests/ClientTestSupport", defaults + ["FoundationTransport", "LocalCloud", "StorageClient"]),
  support("LongRun", "Tests/LongRun/Core", ["StorageClient", "LocalCloud", "StorageAuthTesting"]),
  program("long-run", "Tests/LongRun/Program", ["FoundationTransport", "LongRun", "StorageClient", "ArgumentParser"]),
  support("SyncSimulation", "Tests/SyncSimulation/Core", ["StorageClient"]),
  program("sync-simulation", "Tests/SyncSimulation/Program", ["SyncSimulation", "ArgumentParser"]),
]

/// The tests that need no package besides swift-http-types and swift-crypto.
let coreTests = [
  tests("StorageCrypto"),
  tests("StorageKeys"),
  tests("StorageAuth", ["SigningProperties"]),
  tests("StorageAuthTesting", ["CredentialSources", "OSSAuth", "COSAuth", "S3Auth"]),
  tests("OSSAuth", ["SigningProperties"]),
  tests("COSAuth", ["SigningProperties"]),
  tests("S3Auth", ["SigningProperties", "CAllocationCounter"], copying: ["Vectors"]),
  tests("Vector", ["SigningJobs", "CredentialSources"], copying: ["Vectors"]),
  tests("CredentialSources", ["OSSAuth", "COSAuth", "S3Auth"]),
  tests("AsperaAuth", copying: ["Vectors", "Keys"]),
  tests("Redaction", ["OSSAuth", "COSAuth", "S3Auth", "AsperaAuth"], exclude: ["check-redaction-coverage.py"]),
]

/// What holds the readers of foreign bytes that are fuzzed.
let fuzzed = ["LocalCloud", "SigningJobs", "StorageAuthTesting", "StorageClient", "NIOEmbedded"]

package.targets += coreTests
package.targets += [
  tests("Package"),
  tests("AsperaTransfer", ["StoragePrograms", "ProcessWatching"], exclude: ["Ascp/fake-ascp.py"]),
  tests("ServerRedaction", ["StoragePrograms", "LocalCloud", "StorageAuthRedis", "StorageClient"]),
  tests("StorageDiagnosis", ["LocalCloud", "StorageClient"]),
  tests(
    "StorageClient",
    defaults + [
      "ClientTestSupport", "FoundationTransport", "LocalCloud", "LongRun", "ProcessWatching", "StorageClientTesting",
    ]),
  tests("StorageClientTesting"),
  tests("FoundationTransport", ["AsyncHTTPTransport"]),
  tests("StorageBackground", ["LocalCloud"]),
  tests("StorageOperations", ["LocalCloud", "StorageClient", "InMemoryTracing", "MetricsTestKit"]),
  tests("StorageConfiguration"),
  tests("LocalCloud", ["AsyncHTTPClient"], copying: ["Vectors"]),
  tests("StorageAuthTool", ["storage-auth", "ClientTestSupport"]),
  tests(
    "StorageAuthServer",
    ["AsyncHTTPTransport", "LocalCloud", "StorageClient", "VerifiedService", "MetricsTestKit", "NIOEmbedded"],
    copying: ["Connections/Certificates"]),
  tests("StorageAuthRedis"),
  tests(
    "OBSProvider", ["OBSProvider", "StorageAuthServer", "StorageClient", "NIOEmbedded"], copying: ["Vectors"],
    packageAccess: false),
  tests("PhotoApp", ["LocalCloud", "PhotoApp", "StorageBackground"], packageAccess: false),
  tests("Complexity", ["CInstructionCounter", "LocalCloud", "SigningJobs", "StorageClient"]),
  .testTarget(
    name: "FuzzTests", dependencies: uses(fuzzed), path: "Tests/Fuzz", exclude: ["Corpus", "Engine", "run.sh"],
    swiftSettings: testRules),
]

// `STORAGE_AUTH_FUZZ=1` makes the replay of the corpora a program that libFuzzer drives. The flags of the sanitizer are
// given on the command line (`make fuzz`), so that the manifest that consumers see has no unsafe ones.
if Context.environment["STORAGE_AUTH_FUZZ"] != nil {
  package.targets.removeAll { $0.name == "FuzzTests" }
  package.targets += [
    .target(name: "FuzzEngine", path: "Tests/FuzzEngine"),
    .executableTarget(
      name: "storage-auth-fuzz",
      dependencies: uses(fuzzed + ["FuzzEngine"]),
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
  package.keep(coreTests.map(\.name) + (extent == "aspera" ? ["AsperaTransferTests"] : []))
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
if isDocumented {
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
