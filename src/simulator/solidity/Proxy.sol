// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Runs another contract's code on its own storage; the other's address is where ERC-1967 wants it.
contract Proxy {
    // keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            sstore(slot, implementation)
        }
    }

    fallback() external payable {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let succeeded := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch succeeded
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
