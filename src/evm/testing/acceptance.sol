// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import "./system-contracts.sol";

contract Nested {
    uint256 public number = 5;
}

// What contracts of users do, with the ledger's own answers as results.
contract Acceptance {
    TokenService private constant tokens = TokenService(address(0x167));

    uint256 public counter;

    receive() external payable {}

    function updateCounter(uint256 value) external returns (uint256) {
        counter = value;
        return counter;
    }

    function updateManyTimes(uint256 times) external returns (uint256) {
        for (uint256 i = 0; i < times; i++) counter = i;
        return counter;
    }

    function deployTwo() external returns (address, address) {
        return (address(new Nested()), address(new Nested{salt: bytes32(uint256(1))}()));
    }

    function send(address payable receiver, uint256 amount) external returns (uint256, uint256) {
        uint256 before = address(this).balance;
        (bool sent,) = receiver.call{value: amount}("");
        require(sent);
        return (before, address(this).balance);
    }

    function balanceAt(address account) external view returns (uint256) {
        return account.balance;
    }

    function codeAt(address account) external view returns (uint256, bytes32, bytes memory) {
        return (account.code.length, account.codehash, account.code);
    }

    function destroy(address payable heir) external {
        selfdestruct(heir);
    }

    function state(address token, address account) private returns (uint256, uint256) {
        return (TokenFacade(token).balanceOf(account), TokenFacade(token).totalSupply());
    }

    function mint(address token, address treasury, int64 amount, bytes[] memory metadata)
        external
        returns (uint256 balance1, uint256 balance2, uint256 supply1, uint256 supply2)
    {
        (balance1, supply1) = state(token, treasury);
        tokens.mintToken(token, amount, metadata);
        (balance2, supply2) = state(token, treasury);
    }

    function burn(address token, address treasury, int64 amount, int64[] memory serials)
        external
        returns (uint256 balance1, uint256 balance2, uint256 supply1, uint256 supply2)
    {
        (balance1, supply1) = state(token, treasury);
        tokens.burnToken(token, amount, serials);
        (balance2, supply2) = state(token, treasury);
    }

    function wipe(address token, address account, int64 amount, int64[] memory serials)
        external
        returns (uint256 balance1, uint256 balance2, uint256 supply1, uint256 supply2)
    {
        (balance1, supply1) = state(token, account);
        if (serials.length == 0) tokens.wipeTokenAccount(token, account, amount);
        else tokens.wipeTokenAccountNFT(token, account, serials);
        (balance2, supply2) = state(token, account);
    }

    function pauseAndUnpause(address token) external returns (bool paused, bool unpaused) {
        tokens.pauseToken(token);
        (, TokenInfo memory info) = tokens.getTokenInfo(token);
        paused = info.pauseStatus;
        tokens.unpauseToken(token);
        (, info) = tokens.getTokenInfo(token);
        unpaused = info.pauseStatus;
    }

    function freezeAndUnfreeze(address token, address account) external returns (bool frozen, bool unfrozen) {
        tokens.freezeToken(token, account);
        (, frozen) = tokens.isFrozen(token, account);
        tokens.unfreezeToken(token, account);
        (, unfrozen) = tokens.isFrozen(token, account);
    }

    function grantAndRevokeKyc(address token, address account)
        external
        returns (bool granted, int64 status1, bool revoked, int64 status2, int64 transfer)
    {
        status1 = tokens.grantTokenKyc(token, account);
        (, granted) = tokens.isKyc(token, account);
        status2 = tokens.revokeTokenKyc(token, account);
        (, revoked) = tokens.isKyc(token, account);
        transfer = tokens.transferToken(token, address(this), account, 1);
    }

    function approveAndAsk(address token, address spender, uint256 amount, uint256 serial)
        external
        returns (uint256 allowed, address approved)
    {
        if (serial == 0) {
            tokens.approve(token, spender, amount);
            (, allowed) = tokens.allowance(token, address(this), spender);
        } else {
            tokens.approveNFT(token, spender, serial);
            (, approved) = tokens.getApproved(token, serial);
        }
    }

    function associateAndDissociate(address token, address account) external returns (int64, int64) {
        int64 status = tokens.associateToken(account, token);
        tokens.dissociateToken(account, token);
        return (status, tokens.transferToken(token, address(this), account, 1));
    }

    function spendApproved(address token, address receiver, uint256 amount)
        external
        returns (uint256 left, uint256 balance1, uint256 balance2)
    {
        tokens.approve(token, address(this), amount);
        balance1 = TokenFacade(token).balanceOf(receiver);
        TokenFacade(token).transferFrom(address(this), receiver, amount);
        (, left) = tokens.allowance(token, address(this), address(this));
        balance2 = TokenFacade(token).balanceOf(receiver);
    }

    function views(address token, address owner, address spender)
        external
        returns (string memory name, string memory symbol, uint256 supply, uint256 balance, bool frozen, bool kyc, uint256 fees)
    {
        name = TokenFacade(token).name();
        symbol = TokenFacade(token).symbol();
        supply = TokenFacade(token).totalSupply();
        balance = TokenFacade(token).balanceOf(owner);
        (, frozen) = tokens.isFrozen(token, owner);
        (, kyc) = tokens.isKyc(token, spender);
        (, FixedFee[] memory fixedFees,,) = tokens.getTokenCustomFees(token);
        fees = fixedFees.length;
    }

    function approvals(address token, address serials, address owner, address spender)
        external
        returns (uint256 allowed, bool all, address holder, address approved)
    {
        allowed = TokenFacade(token).allowance(owner, spender);
        all = TokenFacade(serials).isApprovedForAll(owner, spender);
        holder = TokenFacade(serials).ownerOf(1);
        approved = TokenFacade(serials).getApproved(1);
    }
}
