// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

// What accounts let run in their name.
contract Wallet {
    uint256 private count;

    event Ran(address indexed account, address sender, uint256 count);

    // Storage and address are those of the account that delegates.
    function run() external payable returns (address account, uint256 times) {
        count += 1;
        emit Ran(address(this), msg.sender, count);
        return (address(this), count);
    }

    function create() external returns (address child) {
        return address(new Child());
    }

    function fail() external pure {
        revert("no");
    }
}

contract Child {}

contract Looker {
    function codeOf(address account) external view returns (bytes memory) {
        return account.code;
    }
}
