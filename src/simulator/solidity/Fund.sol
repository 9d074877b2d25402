// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Code that stands once on the ledger and that other contracts run as theirs.
library Shares {
    function part(uint256 whole, uint256 permille) external pure returns (uint256) {
        return (whole * permille) / 1000;
    }
}

/// Asks the library what a fund takes for itself.
contract Fund {
    uint256 public permille = 5;

    function fee(uint256 amount) external view returns (uint256) {
        return Shares.part(amount, permille);
    }
}
